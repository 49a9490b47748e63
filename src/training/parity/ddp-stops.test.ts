/**
 * Where PyTorch would wait in vain, or refuse: the run ends there with an error that says why, and keeps what it has.
 * And what passes that are synced cost.
 */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { openTestSession } from '../../session/testing/open-session';

const base: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 3,
  data: { type: 'xor', samples: 64 },
  batchSize: 12,
  steps: 20,
  seed: 3,
  compareSingle: false,
};

test('uneven inputs without join: the run stops at the step in which other ranks wait in vain, and names them', async () => {
  const config = { ...base, ddp: { samplesPerRank: [20, 9, 20] } };
  const { report } = await runConfig(config, {});
  expect(report.steps).toBe(3);
  expect(report.error).toMatchObject({
    code: 'data',
    message:
      'Timed out waiting 60000ms for recv operation to complete: at step 3 rank 1 has no more batches, and ranks 0, 2 wait in all_reduce of bucket 0 for a peer that never comes.',
    details: { step: 3, finished: [1], waiting: [0, 2] },
  });
  expect(report.error?.hint).toContain('ddp.join');
  // All epochs were trained that the rank with fewest batches had.
  const twice = await runConfig({ ...config, epochs: 2 }, {});
  expect(twice.report.steps).toBe(6);
  const joined = await runConfig({ ...config, epochs: 2, ddp: { ...config.ddp, join: true } }, {});
  expect(joined.report.error).toBeUndefined();
  expect(joined.report.steps).toBe(10);
  expect(joined.report.losses.slice(0, 6).map((l) => l.loss)).toEqual(twice.report.losses.map((l) => l.loss));
  expect(joined.report.losses.slice(6).every((l) => Number.isNaN(at(l.perRank, 1)))).toBe(true);
  expect(joined.report.replicaDivergence).toBe(0);
});

test('rank 0 out of batches: a model with running statistics waits for their broadcast', async () => {
  const layers: NonNullable<ConfigInput['model']>['layers'] = [
    { type: 'Linear', in: 2, out: 4 },
    { type: 'BatchNorm1d', features: 4 },
    { type: 'Linear', in: 4, out: 1 },
  ];
  const { report } = await runConfig({ ...base, model: { layers }, ddp: { samplesPerRank: [4, 8, 8] } }, {});
  expect(report.steps).toBe(1);
  expect(report.error?.message).toContain('ranks 1, 2 wait in broadcast of the buffers');
});

test('the page says so, too, and shows the last weights; Reset starts again', async () => {
  const s = await openTestSession({ ...base, ddp: { samplesPerRank: [20, 9, 20] } });
  const failed = s.until('state', ({ state }) => state === 'failed');
  s.control({ type: 'play', stepsPerSecond: 0 });
  expect((await failed).reason).toContain('rank 1 has no more batches');
  const steps = s.events.flatMap((e) => (e.type === 'losses' || e.type === 'trace' ? [e.type] : []));
  expect(steps.length).toBeGreaterThan(0);
  await s.api.reset();
  const again = await s.api.traceStep();
  expect(again.step).toBe(0);
  await s.close();
});

test('local SGD with uneven inputs under join: averages that a joined rank does not take part in', async () => {
  const localSGD = (samplesPerRank: number[]): ConfigInput => ({
    ...base,
    ddp: { samplesPerRank, join: true, commHook: { type: 'localSGD', period: 1, startLocalSGDIter: 0 } },
  });
  await expect(runConfig(localSGD([20, 9, 20]), {})).rejects.toThrow('Received data size doesn’t match expected size');
  const even = await runConfig(localSGD([16, 16, 16]), {});
  expect(even.report.error).toBeUndefined();
});

const unused: ConfigInput = {
  ...base,
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 4 },
      { type: 'Unused', layers: [{ type: 'Linear', in: 3, out: 2 }] },
      { type: 'Linear', in: 4, out: 1 },
    ],
  },
};

test('unused parameters: the first step is not reduced, and the next forward refused', async () => {
  const { report } = await runConfig(unused, {});
  expect(report.steps).toBe(1);
  expect(report.error?.message).toContain('Expected to have finished reduction in the prior iteration');
  expect(report.error?.message).toContain('rank 0: 2 3 (1.0.weight, 1.0.bias)');
  expect(report.replicaDivergence).toBeGreaterThan(0);
});

test('replicas of a tensor group refuse unused parameters, too, and find them on request', async () => {
  const groups: ConfigInput = { ...unused, mode: 'tensor', mesh: { tp: 2, dpReplicate: 2 }, worldSize: 4 };
  const { report } = await runConfig(groups, {});
  expect(report.steps).toBe(1);
  expect(report.error?.message).toContain('rank 0: 2 3 (1.0.weight, 1.0.bias)');
  expect(report.replicaDivergence).toBeGreaterThan(0);
  const found = await runConfig({ ...groups, ddp: { findUnusedParameters: true } }, {});
  expect(found.report.error).toBeUndefined();
  expect(found.report.replicaDivergence).toBe(0);
});

test.each([{ findUnusedParameters: true }, { staticGraph: true }])(
  'cured by %o: untouched, whatever the optimiser',
  async (ddp) => {
    const config: ConfigInput = { ...unused, optimizer: { type: 'AdamW', lr: 0.1, weightDecay: 0.5 }, ddp };
    const start = await runConfig({ ...config, steps: 1, optimizer: { type: 'SGD', lr: 0 } }, {});
    const { report } = await runConfig(config, {});
    expect(report.error).toBeUndefined();
    expect(report.replicaDivergence).toBe(0);
    const [before, after] = [start.report.parametersSha256, report.parametersSha256];
    expect(after['1.0.weight']).toBe(before['1.0.weight']);
    expect(after['0.weight']).not.toBe(before['0.weight']);
  },
);

test('a forward outside no_sync reduces every micro-batch: the same numbers within rounding, several times the bytes', async () => {
  const accumulated = { ...base, accumulate: 4, steps: 4 };
  const of = async (noSync: 'both' | 'forward' | 'backward' | 'none') =>
    (await runConfig({ ...accumulated, ddp: { noSync } }, {})).report;
  const [both, forward, backward, none] = [
    await of('both'),
    await of('forward'),
    await of('backward'),
    await of('none'),
  ];
  expect(forward.weightsSha256).toBe(both.weightsSha256);
  expect(none.weightsSha256).toBe(backward.weightsSha256);
  expect(forward.bytes.total).toBe(both.bytes.total);
  expect(backward.bytes.total).toBe(4 * both.bytes.total);
  expect(backward.finalLoss).toBeCloseTo(both.finalLoss, 5);
});

test('without the broadcast at construction, ranks that drew different weights stay apart', async () => {
  const ddp = { rankSeeds: 'beforeModel', initSync: false } as const;
  const { report } = await runConfig({ ...base, ddp }, {});
  expect(report.replicaDivergence).toBeGreaterThan(0.1);
  expect(report.notices.map((n) => n.id)).toContain('no-init-sync');
  const synced = await runConfig({ ...base, ddp: { ...ddp, initSync: true } }, {});
  expect(synced.report.replicaDivergence).toBe(0);
});

test('a static graph under no_sync gets a notice, since PyTorch 1.13 fails there', async () => {
  const told = async (ddp: ConfigInput['ddp']) => {
    const s = await openTestSession({ ...base, ddp, accumulate: 2 });
    const ids = s.info.notices.map((n) => n.id);
    await s.close();
    return ids.includes('static-graph-no-sync');
  };
  expect(await told({ staticGraph: true })).toBe(true);
  expect(await told({ staticGraph: true, noSync: 'backward' })).toBe(false);
  expect(await told({})).toBe(false);
});

test.each([
  [{ noSync: 'none' }, 'no-effect-no-sync'],
  [{ divideByInitialWorldSize: false }, 'no-effect-divisor'],
  [{ overlap: false }, 'no-effect-overlap'],
  [{ join: true }, 'join-even'],
  [{ broadcastBuffers: false }, 'no-effect-buffers'],
  [{ initSync: false }, 'no-effect-init-sync'],
  [{ rankSeeds: 'afterModel' }, 'no-effect-seeds'],
  [{ findUnusedParameters: true }, 'no-unused-parameters'],
  [{ setEpoch: false, samplesPerRank: [8, 8, 8] }, 'no-effect-set-epoch'],
  [{ samplesPerRank: [7, 5, 7] }, 'mean-of-means'],
] as const)('%o gets the notice %s', async (ddp, id) => {
  const s = await openTestSession({ ...base, ddp } as ConfigInput);
  expect(s.info.notices.map((n) => n.id)).toContain(id);
  await s.close();
});

test.each([
  [
    { ddp: { samplesPerRank: [8, 8] } },
    'ddp.samplesPerRank is [8, 8] and worldSize is 3: the list has 2 numbers, but there are 3 ranks.',
  ],
  [{ ddp: { samplesPerRank: [80, 8, 8] } }, 'gives 96 rows to 3 ranks, but there are 64 training rows'],
  [
    { ddp: { gradientAsBucketView: true, commHook: { type: 'fp16Compress' } } },
    'writes a compressed copy of the bucket',
  ],
  [{ accumulate: 2, ddp: { join: true, samplesPerRank: [8, 8, 2] } }, 'in the middle of a step of 2 micro-batches'],
] as const)('%o is refused', async (part, message) => {
  await expect(runConfig({ ...base, ...part } as ConfigInput, {})).rejects.toThrow(message);
});
