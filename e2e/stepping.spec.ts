import { expect, TINY, test } from './playground';

test.beforeEach(async ({ playground }) => {
  await playground.open(`${TINY}&data=xor&mode=ddp&world=2&device=webgpu`);
});

test('steps an event, a phase, an iteration, and back', async ({ playground }) => {
  const { page } = playground;
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);
  const start = await playground.position();

  await playground.button('Step event').click();
  await expect.poll(() => playground.position()).toBeGreaterThan(start);
  const afterEvent = await playground.position();
  await playground.button('Step phase').click();
  await expect.poll(() => playground.position()).toBeGreaterThan(afterEvent);
  expect(await playground.number('Step')).toBe(1);
  await playground.button('Step iteration').click();
  await expect.poll(() => playground.number('Step')).toBe(2);
  const end = await playground.position();
  await playground.button('Step back').click();
  await expect.poll(() => playground.position()).toBe(end - 1);

  // The same by keyboard.
  await page.keyboard.press('.');
  await expect.poll(() => playground.position()).toBe(end);
  await page.keyboard.press(',');
  await expect.poll(() => playground.position()).toBe(end - 1);
});

test('scrubs through past steps without running them again', async ({ playground }) => {
  await playground.iterate(3);
  const loss = await playground.number('Loss');
  await playground.scrub().focus();
  await playground.scrub().press('Home');
  await expect.poll(() => playground.number('Step')).toBe(0);
  await expect.poll(() => playground.position()).toBe(0);
  await playground.scrub().press('End');
  await expect.poll(() => playground.number('Step')).toBe(3);
  await expect.poll(() => playground.number('Loss')).toBe(loss);
});

test('plays and pauses with the space bar, and resets to the same start', async ({ playground }) => {
  const { page } = playground;
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);
  const first = await playground.number('Loss');
  // Space on a button would press that button.
  await page.getByRole('heading', { name: 'Lockstep' }).click();
  await page.keyboard.press('Space');
  await expect(playground.button('Pause')).toBeVisible();
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(1);
  await page.keyboard.press('Space');
  await expect(playground.button('Play')).toBeVisible();
  await playground.reset();
  await playground.iterate(1);
  await expect.poll(() => playground.number('Step')).toBe(1);
  await expect.poll(() => playground.number('Loss')).toBe(first);
});

test("DDP's constructor is shown on the stage before the first step, once, and can be replayed", async ({
  playground,
}) => {
  const { page } = playground;
  const stage = playground.region('Stage');
  const kept = page.getByRole('group', { name: 'kept steps' });
  // Event by event it stands still for as long as one looks.
  await playground.button('Step event').click();
  await expect(stage.getByText(/^Construct · Broadcast: rank 0 sends/)).toBeVisible();
  await expect(kept.getByRole('radio').first()).toHaveAccessibleName('construct');
  // No step has been taken where the constructor is.
  await expect.poll(() => playground.number('Step')).toBe(0);
  await playground.button('Step iteration').click();
  await playground.button('Step iteration').click();
  await expect.poll(() => playground.number('Step')).toBe(1);
  await expect(stage.getByText(/^Construct/)).toHaveCount(0);

  await playground.button('construct').click();
  await expect(stage.getByText(/^Construct · Broadcast: rank 0 sends/)).toBeVisible();
  await expect.poll(() => playground.number('Step')).toBe(0);
  await playground.playUntilStep(3);
});
