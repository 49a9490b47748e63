/**
 * What axe finds wrong with the page. By every rule in the light theme; in the dark one, on the same page, by the rules
 * that look at colours: all others look at what is there and at its names, and a theme changes neither.
 */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './playground';

const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Which rules: all, those that look at colours, or the others. */
type Rules = 'all' | 'colours' | 'no colours';

/** One line for each rule that is broken; of the whole page, or of what `inside` selects. */
async function axeFinds(page: Page, inside: string | undefined, rules: Rules): Promise<string[]> {
  // In the page itself: there are no frames of other sites that would need another page to add up what they found.
  // Of what is in order axe then names one place for each rule: to find words for all of them took most of its time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (inside !== undefined) axe.include(inside);
  if (rules === 'colours') axe.withRules(RULES_OF_COLOUR);
  if (rules === 'no colours') axe.disableRules(RULES_OF_COLOUR);
  const { violations, passes, incomplete } = await axe.analyze();
  expect(passes.length + incomplete.length + violations.length, 'rules that found something to look at').not.toBe(0);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** In both themes, and nothing is wider than the page. */
export async function axeFindsNothing(page: Page, inside?: string): Promise<void> {
  await axeFindsNothingInLight(page, inside);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await hasTheme(page, 'dark');
  expect(await axeFinds(page, inside, 'colours'), 'dark').toEqual([]);
  await isAsWideAsThePage(page);
}

/** By every rule, where another page of the same style sheet and parts is looked at in the dark theme. */
export async function axeFindsNothingInLight(page: Page, inside?: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await hasTheme(page, 'light');
  expect(await axeFinds(page, inside, 'all'), 'light').toEqual([]);
  await isAsWideAsThePage(page);
}

/** The playground and its figures set the theme; the list of lessons and the teacher page leave it to the sheet. */
async function hasTheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  if (/\/learn\/(?:teach\.html)?$/.test(new URL(page.url()).pathname)) return;
  await expect(page.locator('html')).toHaveAttribute('data-theme', scheme);
}

/**
 * On a phone, after `axeFindsNothing` at a wide window: a narrow window moves parts and hides some, and has the same
 * colours, which take axe more time than all other rules.
 */
export async function axeFindsNothingOnPhone(page: Page, inside?: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await isAsWideAsThePage(page);
  expect(await axeFinds(page, inside, 'no colours'), 'on a phone').toEqual([]);
}

/** What is narrower than before may take some frames to find its place. */
async function isAsWideAsThePage(page: Page): Promise<void> {
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overflow, 'px wider than the page').toBeLessThanOrEqual(0);
}
