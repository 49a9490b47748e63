import { expect, TINY, test } from './playground';

test.beforeEach(async ({ playground }) => {
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=webgpu`);
});

test('steps an event, a phase, an iteration, and back', async ({ playground }) => {
  const { page } = playground;
  const step = () => playground.status('Step').textContent();
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);

  await playground.button('Step event').click();
  await expect.poll(step).not.toBe('');
  const afterEvent = await step();
  await playground.button('Step phase').click();
  await expect.poll(step).not.toBe(afterEvent);
  await playground.button('Step iteration').click();
  await expect.poll(() => playground.number('Step')).toBe(2);
  const there = await step();
  await playground.button('Step back').click();
  await expect.poll(step).not.toBe(there);

  // The same by keyboard.
  await page.keyboard.press('.');
  await expect.poll(step).toBe(there);
  await page.keyboard.press(',');
  await expect.poll(step).not.toBe(there);
});

test('scrubs through past steps without running them again', async ({ playground }) => {
  await playground.iterate(3);
  await expect.poll(() => playground.number('Step')).toBe(3);
  const loss = await playground.number('Loss');
  const scrub = playground.page.getByRole('slider', { name: 'Position' });
  await scrub.focus();
  await scrub.press('Home');
  await expect.poll(() => playground.number('Step')).toBeLessThanOrEqual(1);
  await scrub.press('End');
  await expect.poll(() => playground.number('Step')).toBe(3);
  await expect.poll(() => playground.number('Loss')).toBe(loss);
});

test('plays and pauses with the space bar, and resets to the same start', async ({ playground }) => {
  const { page } = playground;
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);
  const first = await playground.number('Loss');
  await page.locator('body').press('Space');
  await expect(playground.button('Pause')).toBeVisible();
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(1);
  await page.locator('body').press('Space');
  await expect(playground.button('Play')).toBeVisible();
  await playground.button('Reset').click();
  await expect(playground.button('Play')).toBeEnabled();
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);
  await expect.poll(() => playground.number('Loss')).toBe(first);
});
