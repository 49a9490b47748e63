import { placeInBrowser } from '../scripts/tier';
import { expect, IN_MOTION, type Playground, TINY, test } from './playground';

const RUN = `${TINY}&data=xor&mode=ddp&world=2&device=webgpu`;

/**
 * All tests use one page, each from the start of the run. Without motion, so that each step jumps to its end: a
 * position read on the way could not be reached again.
 */
const FROM_THE_START: readonly (readonly [string, (playground: Playground) => Promise<void>])[] = [
  [
    'steps a moment, a round, a phase, an iteration, and back',
    async (playground) => {
      const { page } = playground;
      await playground.iterate(1);
      await expect.poll(() => playground.number('Step')).toBe(1);
      const start = await playground.endPosition();

      await playground.button('Step moment').click();
      await expect.poll(() => playground.position()).toBe(start + 2);
      await expect(page.getByRole('slider', { name: 'Scrub' })).toHaveAttribute('aria-valuetext', /moment 1 of \d+/);
      await playground.button('Step round').click();
      await expect.poll(() => playground.position()).toBeGreaterThan(start + 2);
      const afterRound = await playground.position();
      await playground.button('Step phase').click();
      await expect.poll(() => playground.position()).toBeGreaterThan(afterRound);
      const afterPhase = await playground.position();
      await playground.button('Step phase').click();
      await expect.poll(() => playground.position()).toBeGreaterThan(afterPhase);
      await playground.button('Back one phase').click();
      await expect.poll(() => playground.position()).toBe(afterPhase);
      expect(await playground.number('Step')).toBe(1);
      await playground.button('Step iteration').click();
      await expect.poll(() => playground.number('Step')).toBe(2);
      const end = await playground.endPosition();
      await playground.button('Step back').click();
      await expect.poll(() => playground.position()).toBe(end - 1);

      // The same with the keyboard.
      await page.keyboard.press('.');
      await expect.poll(() => playground.position()).toBe(end);
      await page.keyboard.press(',');
      await expect.poll(() => playground.position()).toBe(end - 1);
      await page.keyboard.press('Shift+Comma');
      await expect.poll(() => playground.position()).toBeLessThan(end - 1);
    },
  ],

  [
    'a single event is one touch more: with Alt',
    async (playground) => {
      const { page } = playground;
      const stage = playground.region('Stage');
      await playground.iterate(1);
      await expect.poll(() => playground.number('Step')).toBe(1);
      const end = await playground.endPosition();
      await playground.button('Step moment').click();
      // The step may have to run first.
      await expect.poll(() => playground.position()).toBe(end + 2);
      const start = await playground.position();
      await playground.button('Step moment').click({ modifiers: ['Alt'] });
      await expect(stage.getByText(/: rank \d computes layer 0 \(Linear\)$/)).toBeVisible();
      await page.keyboard.press('Alt+Period');
      await expect.poll(() => playground.position()).toBe(start + 1);
      await page.keyboard.press('Alt+Comma');
      await page.keyboard.press('Alt+Comma');
      await expect.poll(() => playground.position()).toBe(start);
    },
  ],

  [
    'scrubs through past steps without running them again',
    async (playground) => {
      await playground.iterate(3);
      const loss = await playground.number('Loss');
      await playground.scrub().focus();
      await playground.scrub().press('Home');
      await expect.poll(() => playground.number('Step')).toBe(0);
      await expect.poll(() => playground.position()).toBe(0);
      await playground.scrub().press('End');
      await expect.poll(() => playground.number('Step')).toBe(3);
      await expect.poll(() => playground.number('Loss')).toBe(loss);
    },
  ],

  [
    'plays and pauses with the space bar, and resets to the same start',
    async (playground) => {
      const { page } = playground;
      await playground.iterate(1);
      await expect.poll(() => playground.number('Step')).toBe(1);
      const first = await playground.number('Loss');
      // Space on a focused button would press that button.
      await playground.leaveControls();
      await page.keyboard.press('Space');
      await expect(playground.button('Pause')).toBeVisible();
      await expect.poll(() => playground.number('Step')).toBeGreaterThan(1);
      await page.keyboard.press('Space');
      await expect(playground.button('Play')).toBeVisible();
      await playground.reset();
      await playground.iterate(1);
      await expect.poll(() => playground.number('Step')).toBe(1);
      await expect.poll(() => playground.number('Loss')).toBe(first);
    },
  ],
];

test('steps of every size and back, scrubbing, Space, and the same start after Reset', async ({ playground }) => {
  await playground.open(RUN);
  for (const [title, run] of FROM_THE_START) {
    if ((await playground.number('Step')) > 0) await playground.reset();
    await test.step(title, () => run(playground));
  }
});

test.describe('in motion', () => {
  test.use(IN_MOTION);

  test.beforeEach(async ({ playground }) => {
    await playground.open(RUN);
  });

  test(
    "DDP's constructor is shown on the stage before the first step, once, and can be replayed",
    placeInBrowser({ rest: 'app/stage draws it from the trace' }),
    async ({ playground }) => {
      const { page } = playground;
      const stage = playground.region('Stage');
      const kept = page.getByRole('group', { name: 'kept steps' });
      // Moment by moment, the page waits for the user.
      await playground.button('Step moment').click();
      await expect(stage.getByText(/^DDP\(model\): rank 0 sends/)).toBeVisible();
      await expect(kept.getByRole('radio').first()).toHaveAccessibleName('construct');
      // At the constructor no step has been taken.
      await expect.poll(() => playground.number('Step')).toBe(0);
      await playground.button('Step iteration').click();
      await playground.button('Step iteration').click();
      await expect.poll(() => playground.number('Step')).toBe(1);
      await expect(stage.getByText('Construct', { exact: true })).toHaveCount(0);

      await playground.button('construct').click();
      await expect(stage.getByText(/^DDP\(model\): rank 0 sends/)).toBeVisible();
      await expect.poll(() => playground.number('Step')).toBe(0);
      await playground.playUntilStep(3);
    },
  );

  test(
    'the stage says in one sentence what all ranks do and why, and explains its terms',
    placeInBrowser({ rest: 'training/sentences.test.ts holds the sentences' }),
    async ({ playground }) => {
      const { page } = playground;
      const stage = playground.region('Stage');
      await playground.iterate(1);
      await playground.button('Step phase').click();
      await expect(stage.getByText(/^Forward: both ranks run layer \d \(Linear\) on their own samples$/)).toBeVisible();
      await expect(page.locator('[data-live]')).toHaveText(/^Forward: both ranks run layer \d/);
      await playground.button('Step round').click();
      await expect(
        stage.getByText(/^Round 1 of 2, reduce-scatter of bucket 0: every rank sends one chunk/),
      ).toBeVisible();
      await expect(stage.getByText(/^After this round every rank holds one chunk summed over all ranks/)).toBeVisible();

      // With the keyboard and with touch; Esc closes it.
      const note = stage.getByRole('note', { name: 'bucket' });
      await stage.getByRole('button', { name: 'bucket', exact: true }).focus();
      await page.keyboard.press('Enter');
      await expect(note).toContainText('several gradients side by side');
      await page.keyboard.press('Escape');
      await expect(note).toBeHidden();
    },
  );
});
