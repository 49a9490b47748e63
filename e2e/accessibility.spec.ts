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
