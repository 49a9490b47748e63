import AxeBuilder from '@axe-core/playwright';
import { expect, TINY, test } from './playground';

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1360, 390]) {
    test(`axe finds nothing in ${colorScheme} at ${width} px`, async ({ playground }) => {
      const { page } = playground;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 860 });
      await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=cpu`);
      await playground.iterate(1);
      await expect.poll(() => playground.number('Step')).toBe(1);
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
      ).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    });
  }
}

test('every control can be reached and worked by keyboard', async ({ playground }) => {
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
});

test('Space plays right after a mode was chosen by keyboard', async ({ playground }) => {
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
});

for (const width of [1360, 390]) {
  test(`axe finds nothing with everything unfolded at ${width} px`, async ({ playground }) => {
    const { page } = playground;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 860 });
    await playground.open(`${TINY}&data=xor&mode=ddp&world=4&device=cpu&layers=2-8-8-1&bucket=0.25KiB`);
    await playground.iterate(2);
    // What a fold holds may be folds again; of those that shut one another each is opened once.
    for (let opened = 1; opened > 0; ) {
      opened = await page.evaluate(() => {
        const folds = document.querySelectorAll<HTMLElement>('details:not([open]) > summary:not([data-opened])');
        for (const fold of folds) {
          fold.dataset['opened'] = '';
          fold.click();
        }
        return folds.length;
      });
    }
    await expect(page.getByRole('region', { name: 'Buckets of the step' })).toBeVisible();
    await expect(page.getByRole('treegrid', { name: /^Memory/ })).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`),
    ).toEqual([]);
  });
}
