/** Functions for the figures of lessons: scroll to a figure, wait until it is live, measure its height. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './playground';

export const figuresOf = (page: Page): Promise<Locator[]> => page.locator('figure[data-figure]').all();

export async function bringToView(figure: Locator): Promise<void> {
  await figure.evaluate((element) => {
    const shown = element.querySelector('.figure-live[data-shown], .figure-static:not([hidden])') ?? element;
    shown.scrollIntoView({ block: 'center', behavior: 'instant' });
  });
}

/** The figure's run shows the moment with which it begins. */
export async function isLive(figure: Locator): Promise<void> {
  await expect(figure).toHaveAttribute('data-live', /^(rest|playing)$/);
  await expect(figure.locator('.figure-static')).toBeHidden();
}

/** Scrolls to the figure and waits until it is live. Returns its height before, for `keepsItsHeight`. */
export async function goesLive(figure: Locator): Promise<number> {
  for (const picture of await figure.locator('.figure-static img').all())
    await picture.evaluate((image: HTMLImageElement) => {
      image.loading = 'eager';
      return image.decode();
    });
  const still = await heightOf(figure);
  await bringToView(figure);
  await isLive(figure);
  return still;
}

/**
 * Nothing below the figure has moved. Call this some time after the figure went live, when all parts that it loads have
 * arrived.
 */
export async function keepsItsHeight(figure: Locator, still: number): Promise<void> {
  const id = await figure.getAttribute('data-figure');
  expect(Math.abs((await heightOf(figure)) - still), `px that figure ${id} has grown`).toBeLessThanOrEqual(2);
}

const heightOf = (figure: Locator): Promise<number> =>
  figure.evaluate((element) => element.getBoundingClientRect().height);
