/**
 * Ranks that are killed or hang in an open session: it goes on playing by itself, each step is reported once, and what
 * is reported in the end are the losses and weights of a run without it; when restarts are used up, the weights of the
 * last checkpoint remain.
 */
import { expect, test, vi } from 'vitest';
import { onStillClock, untilIdle } from '../base/testing/still-clock';
import { runConfig } from '../headless/run';
import type { ConfigInput } from '../protocol/config';
import { FAILURE_WORDS } from '../training/failures/failure-words-part';
import { PLACEMENTS } from '../training/testing/placements';
import { openTestSession, type TestSession } from './testing/open-session';

const config: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 3,
  model: { layers: [{ type: 'Linear', in: 2, out: 3 }, { type: 'Tanh' }, { type: 'Linear', in: 3, out: 1 }] },
  optimizer: { type: 'Adam', lr: 0.02 },
  data: { type: 'xor', samples: 30 },
  batchSize: 6,
  compareSingle: false,
  seed: 8,
};

const recordsOf = (s: TestSession) => s.events.flatMap((e) => (e.type === 'losses' ? e.records : []));
const noticesOf = (s: TestSession) => s.events.flatMap((e) => (e.type === 'notice' ? [e.notice] : []));

test.each(PLACEMENTS)('$title: killed while it plays, at once and in a step to come', async ({ placement }) => {
  const s = await openTestSession({ ...config, placement });
  for (const at of [undefined, { step: 400 }]) {
    const again = s.until('state', ({ state }) => state === 'restarting');
    if (!at) s.control({ type: 'play', stepsPerSecond: 200 });
    if (!at) await s.until('losses');
    await s.api.killRank(1, at);
    if (at) s.control({ type: 'play', stepsPerSecond: 0 });
    await again;
    // Nobody presses Play.
    await s.until('state', ({ state }) => state === 'playing');
    await s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > (at ? 420 : 20));
  }
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control({ type: 'pause' });
  await paused;
  const texts = noticesOf(s).map(({ text }) => text);
  expect(texts.filter((text) => /^Rank 1 \(cuda:1\) was killed at step \d+/.test(text))).toHaveLength(4);
  expect(texts.at(-1)).toMatch(
    /was killed at step 400: .* \(restart 2 of 3\)\. Training continues by itself from step \d+\.$/,
  );
  const records = recordsOf(s);
  const undisturbed = await runConfig({ ...config, steps: records.length }, {});
  expect(records).toEqual(undisturbed.report.losses);
  expect(await s.api.saveWeights()).toEqual(undisturbed.weights());
  await s.close();
});

test('a rank that hangs under a step by hand: the step is done all the same, after the timeout', () =>
  onStillClock(async () => {
    const s = await openTestSession({ ...config, placement: 'workers', timeoutS: 0.1 });
    const first = await s.api.traceStep();
    await s.api.hangRank(2);
    const second = await s.api.traceStep();
    expect([first.step, second.step]).toEqual([0, 1]);
    // Notices come through another port than answers.
    await untilIdle();
    expect(noticesOf(s).at(-1)).toMatchObject({
      id: 'timeout',
      text: expect.stringMatching(
        /^Timed out waiting 100ms for recv operation to complete at step 1: rank \d waits in all_reduce of bucket 0 \(seq \d\) for rank 2 \[loss\.backward\(\)\]; rank 2 is at loading inputs \[x, y = .*\]/,
      ),
    });
    const undisturbed = await runConfig({ ...config, steps: 2 }, {});
    expect(await s.api.saveWeights()).toEqual(undisturbed.weights());
    await s.close();
  }));

test('no restart is left: a clear failure, and the weights of the last checkpoint', async () => {
  const s = await openTestSession({ ...config, maxRestarts: 0 });
  for (let i = 0; i < 3; i++) await s.api.traceStep();
  const failed = s.until('state', ({ state }) => state === 'failed');
  await s.api.killRank(0);
  await failed;
  expect(noticesOf(s).at(-1)).toMatchObject({
    level: 'error',
    text: expect.stringMatching(/^Rank 0 .*The weights of step 3 are kept/),
  });
  const undisturbed = await runConfig({ ...config, steps: 3 }, {});
  expect(await s.api.saveWeights()).toEqual(undisturbed.weights());
  await expect(s.api.traceStep()).rejects.toMatchObject({ code: 'rank-failed' });
  // Reset begins again.
  await s.api.reset();
  expect((await s.api.traceStep()).losses).toEqual(undisturbed.report.losses[0]);
  await s.close();
});

test('no restart is left while the run plays: the run is at the last checkpoint, and says which steps are lost', async () => {
  const s = await openTestSession({ ...config, maxRestarts: 0 });
  const failed = s.until('state', ({ state }) => state === 'failed');
  await s.api.killRank(1, { step: 400 });
  s.control({ type: 'play', stepsPerSecond: 0 });
  const { microBatch: step } = await failed;
  const kept = s.events.findLast((e) => e.type === 'trace')?.trace.step;
  expect(kept).toBe(step - 1);
  expect((await s.api.snapshot()).step).toBe(step);
  expect(noticesOf(s).at(-1)?.text).toContain(`The weights of step ${step} are kept`);
  const undisturbed = await runConfig({ ...config, steps: step }, {});
  expect(await s.api.saveWeights()).toEqual(undisturbed.weights());
  // Whose room is dead on the stage, and who waited for it.
  expect(s.events.findLast((e) => e.type === 'standstill')?.standstill?.ranks.map(({ is }) => is)).toEqual([
    'waiting',
    'ended',
    'waiting',
  ]);
  await s.close();
});

test('killed before the first checkpoint: the initial weights are left, and can be viewed', async () => {
  const s = await openTestSession({ ...config, maxRestarts: 0 });
  const failed = s.until('state', ({ state }) => state === 'failed');
  await s.api.killRank(0);
  expect((await failed).microBatch).toBe(0);
  expect((await s.api.snapshot()).step).toBe(0);
  await s.close();
});

test.each(['shared', 'workers'] as const)(
  '%s: a rank that hangs shows from the first second: who is late, who waits for whom, for how long still',
  (placement) =>
    onStillClock(async () => {
      const s = await openTestSession({ ...config, placement, timeoutS: 2.5 });
      await s.api.traceStep();
      await s.api.hangRank(2);
      const shown = s.until('standstill', ({ standstill }) => standstill !== undefined);
      const failed = s.until('state', ({ state }) => state === 'restarting');
      s.control({ type: 'play', stepsPerSecond: 0 });
      const { standstill } = await shown;
      expect(standstill).toMatchObject({
        microBatch: 1,
        timeoutMs: 2500,
        ranks: [
          { rank: 0, is: 'waiting', at: expect.stringMatching(/^all_reduce of bucket 0/) },
          { rank: 1, is: 'waiting', at: expect.stringMatching(/^all_reduce of bucket 0/) },
          { rank: 2, is: 'late', at: 'loading inputs', waitsFor: undefined },
        ],
      });
      expect(standstill?.waitedMs).toBeLessThan(2500);
      await failed;
      // It goes on by itself, and nothing hangs any more.
      await s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) > 10);
      expect(s.events.findLast((e) => e.type === 'standstill')?.standstill).toBeUndefined();
      await s.close();
    }),
);

test.each([
  ['shared', 'playing'],
  ['workers', 'playing'],
  ['workers', 'a step by hand'],
] as const)('%s, %s: Reset ends a step that waits for a rank that hangs', (placement, way) =>
  onStillClock(async () => {
    const s = await openTestSession({ ...config, placement, timeoutS: 600 });
    await s.api.traceStep();
    await s.api.hangRank(2);
    const shown = s.until('standstill', ({ standstill }) => standstill !== undefined);
    if (way === 'playing') s.control({ type: 'play', stepsPerSecond: 0 });
    const step = way === 'playing' ? undefined : s.api.traceStep().catch((error: unknown) => error);
    await shown;
    const before = performance.now();
    await s.api.reset();
    expect(performance.now() - before).toBeLessThan(10_000);
    if (step) expect(await step).toMatchObject({ code: 'aborted' });
    await untilIdle();
    expect(s.events.findLast((e) => e.type === 'standstill')?.standstill).toBeUndefined();
    expect(s.events.findLast((e) => e.type === 'state')).toMatchObject({ state: 'paused' });
    // From the start, with the same bits.
    for (let next = 0; next < 3; next++) expect(await s.api.traceStep()).toMatchObject({ step: next });
    const undisturbed = await runConfig({ ...config, steps: 3 }, {});
    expect(await s.api.saveWeights()).toEqual(undisturbed.weights());
    await s.close();
  }),
);

test('Reset lets a step end that waits for a slow rank, and keeps the training', () =>
  onStillClock(async () => {
    // The rank rests for as long as it has worked, times the factor; on a clock that stands still it would never rest.
    const still = performance.now.bind(performance);
    let calls = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => still() + 0.2 * ++calls);
    const stragglers = [{ type: 'rank', rank: 2, factor: 1000 }] as const;
    const s = await openTestSession({ ...config, placement: 'workers', timeoutS: 600, stragglers: [...stragglers] });
    const shown = s.until('standstill', ({ standstill }) => standstill !== undefined);
    const step = s.api.traceStep();
    expect((await shown).standstill?.ranks.map(({ is }) => is)).toEqual(['waiting', 'waiting', 'late']);
    await s.api.reset();
    expect(await step).toMatchObject({ step: 0 });
    expect(s.events.filter((e) => e.type === 'device')).toEqual([]);
    expect(await s.api.traceStep()).toMatchObject({ step: 0 });
    await s.close();
  }));

test('Reset ends a step that waits for a rank that hangs, also if the words about failures cannot be loaded', () =>
  onStillClock(async () => {
    vi.spyOn(FAILURE_WORDS, 'load').mockRejectedValue(new Error('offline'));
    const s = await openTestSession({ ...config, timeoutS: 600 });
    await s.api.traceStep();
    await s.api.hangRank(2);
    const step = s.api.traceStep().catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await s.api.reset();
    expect(await step).toMatchObject({ code: 'aborted' });
    expect(await s.api.traceStep()).toMatchObject({ step: 0 });
    await s.close();
  }));

test('a failure whose words are not loaded yet is reported all the same', async () => {
  vi.spyOn(FAILURE_WORDS, 'now').mockReturnValue(undefined);
  const s = await openTestSession({ ...config, maxRestarts: 1 });
  await s.api.traceStep();
  for (const state of ['restarting', 'failed']) {
    const reached = s.until('state', (event) => event.state === state);
    await s.api.killRank(1);
    await reached;
    if (state === 'restarting') await s.until('state', (event) => event.state === 'paused');
  }
  expect(noticesOf(s).map(({ level, text }) => [level, text])).toEqual([
    ['warning', 'Rank 1 (cuda:1) was killed.'],
    ['error', 'Rank 1 (cuda:1) was killed.'],
  ]);
  await s.close();
});

test('headless: the report has the finished steps, and the error', async () => {
  const faults = [0, 1].map(() => ({ what: 'kill', rank: 1, step: 4 }) as const);
  // A checkpoint is kept each second.
  const { report, weights } = await onStillClock(() =>
    runConfig({ ...config, maxRestarts: 1, steps: 6 }, {}, { faults }),
  );
  expect(report.error).toMatchObject({ code: 'rank-failed', message: expect.stringMatching(/killed at step 4/) });
  expect(report.notices.at(-1)?.text).toMatch(
    /The one restart \(maxRestarts\) is used up\. There is no checkpoint yet: only the start of the run is left\. The 4 steps after it are lost\.$/,
  );
  expect(weights()).toEqual(
    (await runConfig({ ...config, steps: 1, optimizer: { type: 'SGD', lr: 0 } }, {})).weights(),
  );
});

test('a rank that does not exist is refused', async () => {
  const s = await openTestSession(config);
  await expect(s.api.killRank(3)).rejects.toMatchObject({
    code: 'config',
    message: 'There is no rank 3: ranks are 0 to 2.',
  });
  await s.close();
});
