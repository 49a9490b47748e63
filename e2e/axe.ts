/**
 * What axe finds wrong with the page. In the light theme all rules run; in the dark theme, on the same page, only the
 * rules about colours, because the other rules check elements and their names, which a theme does not change.
 */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './playground';

const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** The rules to run: all, only those about colours, or the others. */
type Rules = 'all' | 'colours' | 'no colours';

/** One line per broken rule, for the whole page or for the elements that `inside` selects. */
async function axeFinds(page: Page, inside: string | undefined, rules: Rules): Promise<string[]> {
  // Runs in the page itself: there are no frames of other sites, for which axe would combine results in another page.
  // For elements without faults axe names only one place per rule; describing all places took most of the time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  if (inside !== undefined) axe.include(inside);
  if (rules === 'colours') axe.withRules(RULES_OF_COLOUR);
  if (rules === 'no colours') axe.disableRules(RULES_OF_COLOUR);
  const { violations, passes, incomplete } = await axe.analyze();
  expect(passes.length + incomplete.length + violations.length, 'rules that found something to look at').not.toBe(0);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** Checks both themes, and that nothing is wider than the page. */
export async function axeFindsNothing(page: Page, inside?: string): Promise<void> {
  await axeFindsNothingInLight(page, inside);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await hasTheme(page, 'dark');
  expect(await axeFinds(page, inside, 'colours'), 'dark').toEqual([]);
  await isAsWideAsThePage(page);
}

/** Checks all rules, if another page with the same style sheet and parts is checked in the dark theme. */
export async function axeFindsNothingInLight(page: Page, inside?: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await hasTheme(page, 'light');
  expect(await axeFinds(page, inside, 'all'), 'light').toEqual([]);
  await isAsWideAsThePage(page);
}

/**
 * The playground and its figures set the theme; the list of lessons and the teacher page leave it to the style sheet.
 */
async function hasTheme(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  if (/\/learn\/(?:teach\.html)?$/.test(new URL(page.url()).pathname)) return;
  await expect(page.locator('html')).toHaveAttribute('data-theme', scheme);
}

/**
 * On a phone, after `axeFindsNothing` at a wide window. A narrow window moves and hides parts, and has the same
 * colours; the rules about colours take axe more time than all other rules together.
 */
export async function axeFindsNothingOnPhone(page: Page, inside?: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await isAsWideAsThePage(page);
  expect(await axeFinds(page, inside, 'no colours'), 'on a phone').toEqual([]);
}

/** After the window has become narrower, elements may need some frames to find their place. */
async function isAsWideAsThePage(page: Page): Promise<void> {
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overflow, 'px wider than the page').toBeLessThanOrEqual(0);
}
