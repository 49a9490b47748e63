import { placeInBrowser } from '../scripts/tier';
import { axeFindsNothing, axeFindsNothingOnPhone } from './axe';
import { expect, TINY, test } from './playground';

test('axe finds nothing, wide and on a phone', async ({ playground }) => {
  const { page } = playground;
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);
  await axeFindsNothing(page);
  await axeFindsNothingOnPhone(page);
  await test.step('the sheet of settings', async () => {
    await playground.button('Settings').click();
    await expect(playground.preset('MLP')).toBeVisible();
    await axeFindsNothing(page, 'section[aria-label="Set-up"]');
  });
});

test('every control can be reached and used with the keyboard', async ({ playground }) => {
  const { page } = playground;
  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  await playground.button('Step iteration').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => playground.number('Step')).toBe(1);
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  // The key opens the panel even if its button is in a closed menu or sheet.
  for (const width of [1200, 1000, 390]) {
    await page.setViewportSize({ width, height: 860 });
    await expect(playground.button(width > 1100 ? 'Menu' : 'Settings')).toBeVisible();
    // The bar reacts to the new width a moment after it is visible.
    await expect(async () => {
      await page.keyboard.press('?');
      await expect(dialog).toBeVisible({ timeout: 1000 });
    }).toPass();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  }
});

test(
  'Space plays right after a mode was chosen with the keyboard',
  placeInBrowser({ rest: 'the keys are worked in stepping.spec.ts' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
    await playground.mode('Single').focus();
    await page.keyboard.press('ArrowRight');
    await expect(playground.mode('DataParallel')).toBeChecked();
    await expect(playground.button('Play')).toBeEnabled();
    await expect(playground.mode('DataParallel')).toBeFocused();
    await page.keyboard.press('Space');
    await expect(playground.button('Pause')).toBeVisible();
    await page.keyboard.press('Space');
    await expect(playground.button('Play')).toBeVisible();
  },
);

test(
  'axe finds nothing with everything unfolded, wide and on a phone',
  placeInBrowser({ rest: 'axe looks at the page as it opens in the quick tier' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu&layers=2-8-8-1&bucket=0.25KiB`);
    await playground.iterate(2);
    for (const [width, looks] of [
      [1440, axeFindsNothing],
      [390, axeFindsNothingOnPhone],
    ] as const)
      await test.step(`${width} px`, async () => {
        await page.setViewportSize({ width, height: 844 });
        const buckets = page.getByRole('region', { name: 'Buckets of the step' });
        // A fold may contain further folds, which may appear later. Of folds that close one another, each is opened
        // once.
        await expect(async () => {
          await page.evaluate(() => {
            const folds = document.querySelectorAll<HTMLElement>('details:not([open]) > summary:not([data-opened])');
            for (const fold of folds) {
              fold.dataset['opened'] = '';
              fold.click();
            }
          });
          await expect(buckets).toBeVisible({ timeout: 1000 });
          await expect(page.getByRole('treegrid', { name: /^Memory/ })).toBeVisible({ timeout: 1000 });
        }).toPass();
        await buckets.getByRole('img', { name: /^bucket 0/ }).focus();
        await looks(page);
      });
  },
);
