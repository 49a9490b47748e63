import { expect, TINY, test } from './playground';

/**
 * A rank's worker really ends, in a real browser: the other ranks get an error, all ranks restart, training continues
 * by itself, and there are as many workers as before.
 */
test('a rank is killed during training', async ({ playground }) => {
  const { page } = playground;
  await playground.open(`${TINY}&data=gauss&mode=ddp&world=3&device=cpu&placement=workers`);
  const failures = page.getByRole('group', { name: 'Failures' });
  const kill = failures.getByRole('button', { name: 'Kill rank 1' });
  await expect(kill).toBeEnabled();
  // The session's worker, and one per rank.
  await expect.poll(() => page.workers().length).toBe(4);
  await playground.button('Play').click();
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(3);
  const before = await playground.number('Step');
  await kill.focus();
  await page.keyboard.press('Enter');
  await expect(
    playground.notice(
      /Rank 1 \(cuda:1\) was killed at step \d+.*started again from the checkpoint of step \d+ \(restart 1 of 3\)/,
    ),
  ).toBeVisible();
  await expect.poll(() => playground.number('Step'), { timeout: 30_000 }).toBeGreaterThan(before + 20);
  await expect.poll(() => page.workers().length).toBe(4);
  await playground.button('Pause').click();
  await expect(playground.status('Replica divergence')).toHaveText(/^0/);
});
