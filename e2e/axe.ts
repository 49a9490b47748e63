/**
 * What axe finds wrong with the page. By every rule in the light theme; in the dark one, on the same page, by the rules
 * that look at colours: all others look at what is there and at its names, and a theme changes neither.
 */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './playground';

const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** One line for each rule that is broken; of the whole page, or of what `inside` selects. */
export async function axeFinds(page: Page, inside?: string, rules?: readonly string[]): Promise<string[]> {
  // In the page itself: there are no frames of other sites that would need another page to add up what they found.
  // Of what is in order axe then names one place for each rule: to find words for all of them took most of its time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (inside !== undefined) axe.include(inside);
  if (rules) axe.withRules([...rules]);
  const { violations, passes, incomplete } = await axe.analyze();
  expect(passes.length + incomplete.length + violations.length, 'rules that found something to look at').not.toBe(0);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** In both themes, and nothing is wider than the page. */
export async function axeFindsNothing(page: Page, inside?: string): Promise<void> {
  const theme = page.locator('html');
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expect(theme).toHaveAttribute('data-theme', 'light');
  expect(await axeFinds(page, inside), 'light').toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expect(theme).toHaveAttribute('data-theme', 'dark');
  expect(await axeFinds(page, inside, RULES_OF_COLOUR), 'dark').toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
}
