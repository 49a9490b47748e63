import { placeInBrowser } from '../scripts/tier';
import { expect, firstNumber, IN_MOTION, type Playground, TINY, test } from './playground';

test.use(IN_MOTION);

const DDP = `${TINY}&data=gauss&mode=ddp&world=2`;

/** What bar, timeline, stage and result say about the position of the run. */
async function places(playground: Playground): Promise<Record<string, number>> {
  const heading = playground.region('Timeline').getByRole('heading', { level: 2 });
  // The text below the sentence.
  const aside = await playground.region('Stage').locator('p').nth(1).textContent();
  return {
    bar: await playground.number('Step'),
    timeline: firstNumber((await heading.textContent()) ?? ''),
    stage: firstNumber(/^Step [\d,]+/.exec(aside ?? '')?.[0] ?? ''),
    result: await playground.number('Step of the result'),
  };
}

/** All of these texts, after they have stopped changing. */
async function agreed(playground: Playground): Promise<number> {
  let seen: Record<string, number> = {};
  await expect
    .poll(
      async () => {
        seen = await places(playground);
        // Everything that was running when the run was paused has ended: nothing changes any more.
        await playground.page.waitForTimeout(700);
        const later = await places(playground);
        return new Set([...Object.values(seen), ...Object.values(later)]).size;
      },
      { message: 'bar, timeline, stage and result say one step' },
    )
    .toBe(1);
  return seen['bar'] ?? Number.NaN;
}

/** All places show one more step than before. */
async function takesOneStep(playground: Playground): Promise<void> {
  const before = await agreed(playground);
  await playground.button('Step iteration').click();
  await expect.poll(() => playground.number('Step')).toBe(before + 1);
  expect(await agreed(playground)).toBe(before + 1);
}

async function play(playground: Playground): Promise<void> {
  const before = await playground.number('Step');
  await playground.button('Play').click();
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(before + 10);
}

async function pause(playground: Playground): Promise<void> {
  await playground.button('Pause').click();
  await expect(playground.button('Play')).toBeVisible();
}

test('after a pause bar, timeline, stage and result show the same step, and the next step follows it', async ({
  playground,
}) => {
  await playground.open(`${DDP}&device=cpu`);
  for (let again = 0; again < 2; again++) {
    await play(playground);
    await pause(playground);
    await takesOneStep(playground);
  }
});

test(
  'after a press on Pause the bar says "pausing" until it shows the step of the run',
  placeInBrowser({ rest: 'a pause is made in the test before' }),
  async ({ playground }) => {
    await playground.open('seed=0&preset=gpt&mode=ddp&world=2&device=cpu');
    await playground.button('Play').click();
    await expect.poll(() => playground.number('Step')).toBeGreaterThan(3);
    const step = playground.status('Step');
    const seen = await step.locator('..').evaluate(
      (value) =>
        new Promise<readonly string[]>((resolve) => {
          const texts: string[] = [];
          const note = () => {
            const text = value.textContent ?? '';
            texts.push(text);
            if (texts.length > 1 && !text.endsWith('pausing')) resolve(texts);
          };
          new MutationObserver(note).observe(value, { characterData: true, childList: true, subtree: true });
          document.querySelector<HTMLButtonElement>('button[aria-label="Pause"]')?.click();
        }),
    );
    expect(seen.some((text) => text.endsWith('pausing'))).toBe(true);
    expect(await agreed(playground)).toBe(firstNumber(seen.at(-1) ?? ''));
  },
);

test(
  'five devices are lost while the run plays: each time it continues by itself from the same step',
  placeInBrowser({ rest: 'devices.spec.ts loses one; device-loss.null.test.ts ten' }),
  async ({ playground }) => {
    await playground.open(`${DDP}&device=webgpu`);
    await play(playground);
    for (let loss = 0; loss < 5; loss++) {
      const before = await playground.number('Step');
      await playground.page.evaluate(() => Reflect.get(globalThis, 'lockstep').test.loseDevice());
      const notice = playground.notice(/device was lost.*continues by itself from step/i);
      // Not the notice about the loss before.
      const from = async () => firstNumber(/from step ([\d,]+)/.exec((await notice.textContent()) ?? '')?.[1] ?? '');
      await expect.poll(from).toBeGreaterThanOrEqual(before);
      await expect.poll(() => playground.number('Step'), { timeout: 30_000 }).toBeGreaterThan(before + 5);
      await expect(playground.button('Pause')).toBeVisible();
      await expect(playground.notice(/bug in Lockstep|Press Play/)).toHaveCount(0);
      // Five lost devices in quick succession count as a crash loop, after which the run would start from a checkpoint.
      // Four do not.
      if (loss % 4 !== 3) continue;
      await playground.page.waitForFunction(
        (since) => performance.now() - since > 1200,
        await playground.page.evaluate(() => performance.now()),
      );
    }
    await pause(playground);
    await takesOneStep(playground);
  },
);

test('a session worker that ends by itself is noticed at once, and the run continues from the stored checkpoint', async ({
  playground,
}) => {
  const { page } = playground;
  await playground.open(`${DDP}&device=cpu`);
  await play(playground);
  // The page receives a checkpoint as soon as the part that writes it is loaded, and then every second.
  await page.waitForFunction((since) => performance.now() - since > 2000, await page.evaluate(() => performance.now()));
  const [worker] = page.workers();
  await worker?.evaluate(() => self.close());
  await expect(
    playground.notice(/stopped unexpectedly\. Training continues from step \d+ in a new worker/),
  ).toBeVisible();
  await expect(playground.button('Pause')).toBeVisible();
  const back = await playground.number('Step');
  await expect.poll(() => playground.number('Step')).toBeGreaterThan(back + 10);
  await pause(playground);
  await takesOneStep(playground);
  // Reset still goes back to the start, not to the stored checkpoint.
  await playground.reset();
});

test(
  'if a rank hangs, the stage shows at once which rank is late, which ranks wait for it, and how much longer',
  placeInBrowser({ rest: 'training/failures hangs ranks, and failures.spec.ts kills one on the page' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${TINY}&data=gauss&mode=ddp&world=3&device=cpu&timeout=15`);
    await play(playground);
    const hang = page.getByRole('button', { name: 'Hang rank 1' });
    await hang.focus();
    await page.keyboard.press('Enter');
    const stage = playground.region('Stage');
    await expect(stage).toContainText(
      // In a ring one rank waits for the late rank, and another rank waits for that rank.
      /Step [\d,]+ is stuck, \d+ s until the timeout: rank 1 is late, at .*; rank \d waits for it in all_reduce.*; rank \d waits for rank \d in all_reduce/,
    );
    await stage.getByText('As a table').click();
    await expect(stage.getByRole('row', { name: /^rank 1/i })).toContainText('late');
    for (const rank of [0, 2])
      await expect(stage.getByRole('row', { name: new RegExp(`^rank ${rank}`, 'i') })).toContainText('waits for rank');
    // After the timeout all ranks restart, and no message about the failure stays.
    await expect(playground.notice(/Timed out.*continues by itself/)).toBeVisible({ timeout: 30_000 });
    await expect(stage).not.toContainText('until the timeout');
    await pause(playground);
    await takesOneStep(playground);

    // Reset does not wait for the timeout, and no fault is announced any more.
    await playground.button('Play').click();
    await hang.focus();
    await page.keyboard.press('Enter');
    const announced = page.getByText('Rank 1 hangs in the next step');
    await expect(announced).toBeVisible();
    await expect(stage).toContainText('until the timeout');
    await playground.reset();
    await expect(announced).toBeHidden();
    await playground.iterate(1);
  },
);

test(
  'a rank is killed and no restart is left: its room is dead, and all places show the last step',
  placeInBrowser({ rest: 'failures.spec.ts kills a rank on the page' }),
  async ({ playground }) => {
    const { page } = playground;
    await playground.open(`${TINY}&data=gauss&mode=ddp&world=3&device=cpu&restarts=0`);
    await play(playground);
    const kill = page.getByRole('button', { name: 'Kill rank 2' });
    await kill.focus();
    await page.keyboard.press('Enter');
    const notice = playground.notice(/Rank 2 .* was killed at step .*The weights of step \d+ are kept/);
    await expect(notice).toBeVisible();
    const left = Number(/weights of step (\d+)/.exec((await notice.textContent()) ?? '')?.[1]);
    const stage = playground.region('Stage');
    await expect(stage).toContainText(/rank 2 has ended/);
    await stage.getByText('As a table').click();
    await expect(stage.getByRole('row', { name: /^rank 2/i })).toContainText('ended');
    await expect
      .poll(async () => {
        const { bar, timeline, result } = await places(playground);
        return [bar, timeline, result];
      })
      .toEqual([left, left, left]);
  },
);
