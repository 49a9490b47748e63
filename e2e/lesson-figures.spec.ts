/** What a lesson's figures do besides running: nothing moves when they go live, one that fails can be tried again. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './playground';

/** Between them they have every view, notices, and toolbars with two rows. */
const LESSONS = ['all-reduce', 'buckets', 'data-parallel', 'launching'];

const heightOf = (figure: Locator): Promise<number> =>
  figure.evaluate((element) => element.getBoundingClientRect().height);

async function bringToView(figure: Locator): Promise<void> {
  await figure.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
}

async function isLive(figure: Locator): Promise<void> {
  await expect(figure).toHaveAttribute('data-live', /^(rest|playing)$/);
  await expect(figure.locator('.figure-static')).toBeHidden();
}

async function figuresOf(page: Page, lesson: string): Promise<Locator[]> {
  await page.goto(`./learn/${lesson}.html`);
  return page.locator('figure[data-figure]').all();
}

for (const [width, height] of [
  [1280, 900],
  [390, 844],
] as const)
  for (const lesson of LESSONS)
    test(`${lesson}: nothing below a figure moves when it goes live, ${width} px wide`, async ({ page }) => {
      test.slow();
      await page.setViewportSize({ width, height });
      for (const figure of await figuresOf(page, lesson)) {
        const pictures = figure.locator('.figure-static img');
        for (const picture of await pictures.all())
          await picture.evaluate((image: HTMLImageElement) => {
            image.loading = 'eager';
            return image.decode();
          });
        const still = await heightOf(figure);
        await bringToView(figure);
        await isLive(figure);
        // What is loaded with the live figure is there.
        await page.waitForTimeout(500);
        const id = await figure.getAttribute('data-figure');
        expect(Math.abs((await heightOf(figure)) - still), `figure ${id}`).toBeLessThanOrEqual(2);
      }
    });

test('a figure whose code does not come says so, keeps its picture, and can be tried again', async ({
  page,
  playground,
}) => {
  playground.provokes(/Failed to load resource/);
  const code = /assets\/live-figure-[\w-]+\.js/;
  await page.route(code, (route) => route.abort());
  const [figure] = await figuresOf(page, 'all-reduce');
  if (!figure) throw new Error('The lesson has no figure.');
  await bringToView(figure);
  await expect(figure.locator('.figure-failed')).toContainText('The figures');
  await expect(figure.locator('.figure-static')).toBeVisible();
  await page.unroute(code);
  await figure.getByRole('button', { name: 'Try again' }).click();
  await isLive(figure);
  await expect(figure.locator('.figure-failed')).toHaveCount(0);
});

test('a hint comes by itself when the figure has been in view for 40 seconds', async ({ page }) => {
  await page.clock.install();
  const [figure] = await figuresOf(page, 'all-reduce');
  if (!figure) throw new Error('The lesson has no figure.');
  await bringToView(figure);
  await isLive(figure);
  const id = await figure.getAttribute('data-figure');
  const task = page.locator('.task[data-task]').first();
  const hint = task.locator('.task-hint');
  expect(id).toBe('ring');
  await page.clock.fastForward(38_000);
  await expect(hint).toBeHidden();
  await page.clock.fastForward(3_000);
  await expect(hint).toBeVisible();
  await expect(task.getByRole('button', { name: 'Hint' })).toBeHidden();
});
