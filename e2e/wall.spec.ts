/** The list of all lessons and the page for teachers: cards that run, one at a time, also on touch screens; axe. */
import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing, axeFindsNothingOnPhone } from './axe';
import { expect, IN_MOTION, test } from './playground';

const REST = placeInBrowser({ rest: 'buckets runs figures in lessons.spec.ts, embeds.spec.ts runs frames' });

test.describe('in motion', () => {
  test.use(IN_MOTION);

  test('a card runs alone while the pointer is on it, and then ends', REST, async ({ page, playground }) => {
    await page.goto('./learn/');
    const cards = page.locator('.card[data-run]');
    const [first, second] = [cards.nth(0), cards.nth(1)];
    expect(page.workers().length).toBe(0);
    await first.getByRole('link').hover();
    await expect(first).toHaveAttribute('data-live', 'running');
    const stage = first.frameLocator('iframe').locator('canvas').first();
    await expect(stage).toBeVisible();
    await second.getByRole('link').hover();
    await expect(second).toHaveAttribute('data-live', 'running');
    await expect(page.locator('.card iframe')).toHaveCount(1);
    await page.mouse.move(2, 2);
    await expect(page.locator('.card iframe')).toHaveCount(0);
    await expect.poll(() => page.workers().length).toBe(0);
    // With Tab, too; a click of the mouse opens the lesson.
    await first.getByRole('link').focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await expect(first).toHaveAttribute('data-live', 'running');
    await axeFindsNothing(page);
    expect(playground.problems).toEqual([]);
  });
});

test.describe('on a touch screen', () => {
  test.use({ ...IN_MOTION, hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });

  test('only the card in the middle of the window runs; with reduced motion no card runs', REST, async ({ page }) => {
    await page.goto('./learn/');
    const cards = page.locator('.card[data-run]');
    const toMiddle = (index: number) => cards.nth(index).evaluate((card) => card.scrollIntoView({ block: 'center' }));
    await toMiddle(0);
    await expect(cards.nth(0)).toHaveAttribute('data-live', 'running');
    await cards.nth(0).locator('p').first().tap();
    await expect(cards.nth(0)).toHaveAttribute('data-live', 'running');
    await toMiddle(2);
    await expect(cards.nth(2)).toHaveAttribute('data-live', 'running');
    await expect(page.locator('.card iframe')).toHaveCount(1);
    await page.evaluate(() => scrollTo(0, 0));
    await expect(page.locator('.card iframe')).toHaveCount(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await toMiddle(1);
    await page.waitForTimeout(700);
    await expect(page.locator('.card iframe')).toHaveCount(0);
  });
});

test(
  'with reduced motion no card runs; axe finds nothing on the list and the teacher page, also on a phone',
  REST,
  async ({ page }) => {
    for (const name of ['', 'teach.html']) {
      await page.goto(`./learn/${name}`);
      await axeFindsNothing(page);
      await axeFindsNothingOnPhone(page);
    }
    await page.goto('./learn/');
    await page.locator('.card[data-run]').first().getByRole('link').hover();
    await page.waitForTimeout(700);
    await expect(page.locator('.card iframe')).toHaveCount(0);
  },
);
