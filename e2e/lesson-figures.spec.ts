/**
 * What the figures of lessons do besides running (lessons.spec.ts): a figure that fails can be tried again, a hint
 * appears by itself, a schedule by the reader runs.
 */
import type { Locator, Page } from '@playwright/test';
import { placeInBrowser } from '../scripts/tier';
import { bringToView, figuresOf, isLive } from './figures';
import { expect, test } from './playground';

async function openLesson(page: Page, lesson: string): Promise<Locator[]> {
  await page.goto(`./learn/${lesson}.html`);
  return figuresOf(page);
}

test(
  'a figure whose code cannot be loaded shows a message, keeps its picture, and can be tried again',
  placeInBrowser({ rest: 'panels.spec.ts has parts of the page that do not come' }),
  async ({ page, playground }) => {
    playground.provokes(/Failed to load resource/);
    const code = /assets\/first-figure-[\w-]+\.js/;
    await page.route(code, (route) => route.abort());
    const [figure] = await openLesson(page, 'all-reduce');
    if (!figure) throw new Error('The lesson has no figure.');
    await bringToView(figure);
    await expect(figure.locator('.figure-failed')).toContainText('The figures');
    await expect(figure.locator('.figure-static')).toBeVisible();
    await page.unroute(code);
    await figure.getByRole('button', { name: 'Try again' }).click();
    await isLive(figure);
    await expect(figure.locator('.figure-failed')).toHaveCount(0);
  },
);

test(
  'a hint appears when the figure has been in view for 40 seconds',
  placeInBrowser({ rest: 'it waits for 40 seconds of the page’s clock, for one line' }),
  async ({ page }) => {
    await page.clock.install();
    const [figure] = await openLesson(page, 'all-reduce');
    if (!figure) throw new Error('The lesson has no figure.');
    await bringToView(figure);
    await isLive(figure);
    const id = await figure.getAttribute('data-figure');
    const task = page.locator('.task[data-task]').first();
    const hint = task.locator('.task-hint');
    expect(id).toBe('ring');
    // The clock also advances by itself, from before the figure runs.
    await page.clock.fastForward(20_000);
    await expect(hint).toBeHidden();
    await page.clock.fastForward(21_000);
    await expect(hint).toBeVisible();
    await expect(task.getByRole('button', { name: 'Hint' })).toBeHidden();
  },
);

test(
  'the reader’s own schedule says what is missing, trains, and completes its task',
  placeInBrowser({ rest: 'pipeline.spec.ts builds a schedule in the same editor' }),
  async ({ page }) => {
    test.slow();
    await openLesson(page, 'pipelines');
    const figure = page.locator('figure[data-figure="own"]');
    await bringToView(figure);
    await isLive(figure);
    const task = page.locator('.task[data-task="build"]');
    const words = figure.getByRole('status', { name: 'Your schedule' });
    await expect(words).toContainText('It is GPipe');
    // GPipe with the first backward pass of rank 0 one place earlier.
    const cell = (name: string) => figure.getByRole('button', { name, exact: true });
    await cell('F0 of stage 0, cell 1 of 8').focus();
    await page.keyboard.press('End');
    for (let left = 0; left < 4; left++) await page.keyboard.press('ArrowLeft');
    await expect(figure.getByRole('button', { name: /^B0 of stage 0/ })).toBeFocused();
    await page.keyboard.press('Alt+ArrowLeft');
    await expect(words).not.toContainText('can run');
    await page.keyboard.press('Control+z');
    await figure.getByLabel('Start from').selectOption('1F1B');
    await expect(words).toContainText('It is 1F1B');
    await figure.getByRole('button', { name: 'Run it' }).click();
    await expect(figure.getByRole('button', { name: 'this runs' })).toBeVisible();
    await expect(task).toHaveAttribute('data-done', '');
    await expect(figure.locator('[data-value="peakLive"]')).toHaveText('3');
  },
);
