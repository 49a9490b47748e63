/**
 * The session as the page uses it, on the CPU device: play, pause, step, reset, and every way in which a run can go
 * wrong.
 */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import { kindLabel } from '../protocol/step-kind';
import { openTestSession } from './testing/open-session';

const ddp: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 4,
  data: { type: 'xor', samples: 64, testFraction: 0.25 },
  batchSize: 16,
  seed: 3,
};

test('opens paused, with all data that the page draws', async () => {
  const s = await openTestSession(ddp);
  expect(s.info.worldSize).toBe(4);
  expect(s.info.ranks).toBe(4);
  expect(s.info.batchPerRank).toEqual([4, 4, 4, 4]);
  expect(s.info.device.kind).toBe('cpu');
  expect(s.info.parameters.map((p) => p.name)).toEqual([
    '0.weight',
    '0.bias',
    '2.weight',
    '2.bias',
    '4.weight',
    '4.bias',
  ]);
  const registered = ['0.weight', '0.bias', '2.weight', '2.bias', '4.weight', '4.bias'];
  const ready = ['4.bias', '4.weight', '2.bias', '2.weight', '0.bias', '0.weight'];
  expect(s.info.buckets).toEqual({
    initial: [{ bytes: 420, parameters: registered }],
    rebuilt: [{ bytes: 420, parameters: ready }],
    passesBeforeRebuild: 1,
    readyOrder: ready,
    unused: [],
  });
  expect(s.info.memory.every((m) => m.peakBytes > 0 && m.peakBytes <= m.budgetBytes)).toBe(true);
  expect(s.info.dataset).toMatchObject({ task: 'classification', rows: 64, testRows: 16 });
  await s.close();
});

test('plays, samples traces and snapshots, pauses', async () => {
  const s = await openTestSession(ddp, { shown: {} });
  const playing = s.until('snapshot', ({ snapshot }) => snapshot.step > 20);
  // Differences from one device grow over the steps: so many on any machine.
  s.control({ type: 'play', stepsPerSecond: 200 });
  const { snapshot } = await playing;
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control({ type: 'pause' });
  await paused;
  expect(snapshot.replicaDivergence).toBe(0);
  expect(snapshot.differenceFromSingle).toBeLessThan(1e-4);
  expect(snapshot.field).toHaveLength(48 * 48);
  const steps = s.events.flatMap((e) => (e.type === 'losses' ? e.records.map((r) => r.step) : []));
  expect(steps).toEqual(steps.map((_, i) => i));
  expect(s.events.some((e) => e.type === 'trace')).toBe(true);
  await s.close();
});

test('a step is traced whole, and Reset gives the same start', async () => {
  const s = await openTestSession(ddp);
  const first = await s.api.traceStep();
  const second = await s.api.traceStep();
  expect(`${kindLabel(first.kind)}`).toBe('first');
  expect(`${kindLabel(second.kind)}`).toBe('full');
  expect(second.samples.map((ids) => ids.length)).toEqual([4, 4, 4, 4]);
  await s.api.reset();
  const again = await s.api.traceStep();
  expect(again.losses).toEqual(first.losses);
  expect(again.initial).toEqual(first.initial);
  expect(again.samples).toEqual(first.samples);
  await s.close();
});

test('switching the mode keeps data and start', async () => {
  const starts = [];
  for (const mode of ['single', 'dataParallel', 'ddp', 'modelParallel'] as const) {
    const s = await openTestSession({ ...ddp, mode, worldSize: 3 });
    const snapshot = await s.api.snapshot();
    starts.push({
      points: s.info.dataset.points,
      weights: snapshot.parameters,
    });
    await s.close();
  }
  for (const start of starts) expect(start).toEqual(starts[0]);
});

test('a loss that is not finite pauses, names step and layer, and Reset cures it', async () => {
  const s = await openTestSession({
    ...ddp,
    model: { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'ReLU' }, { type: 'Linear', in: 4, out: 1 }] },
    loss: { type: 'MSELoss' },
    optimizer: { type: 'SGD', lr: 100 },
  });
  const noticed = s.until('notice', ({ notice }) => notice.id === 'not-finite');
  s.control({ type: 'play', stepsPerSecond: 0 });
  const { notice } = await noticed;
  expect(notice.text).toMatch(/stop being finite at step \d+: first in .* \((forward|loss|backward|step) of /);
  expect(notice.hint).toMatch(/Reset/);
  await s.api.reset();
  const trace = await s.api.traceStep();
  expect(trace.step).toBe(0);
  expect(Number.isFinite(trace.losses.loss)).toBe(true);
  await s.close();
});

test('one corrupted transfer shows in the tile, in the divergence and in the loss', async () => {
  const clean = await openTestSession(ddp);
  const broken = await openTestSession(ddp);
  await clean.api.traceStep();
  await broken.api.traceStep();
  const plan = await clean.api.traceStep();
  const hop = plan.events.find((e) => e.kind === 'recv' && e.collective?.part === 'all-gather' && e.device === 2);
  await broken.api.corrupt(hop?.id, 0.5);
  const spoiled = await broken.api.traceStep();
  const tile = (t: typeof plan) =>
    at(
      at(
        t.events.filter((e) => e.id === hop?.id),
        0,
      ).captured,
      0,
    ).values[0] ?? Number.NaN;
  expect(tile(spoiled) - tile(plan)).toBeCloseTo(0.5, 5);
  expect((await broken.api.snapshot()).replicaDivergence).toBeGreaterThan(0.01);
  expect((await clean.api.snapshot()).replicaDivergence).toBe(0);
  const [a, b] = [await clean.api.traceStep(), await broken.api.traceStep()];
  expect(b.losses.perRank[2]).not.toBe(a.losses.perRank[2]);
  await clean.close();
  await broken.close();
});

test.each([
  [
    { model: { layers: [{ type: 'Linear', in: 3, out: 1 }] } },
    'shape',
    /model.layers.0 .*cannot be multiplied \(16x2 and 3x1\)/,
  ],
  [{ mode: 'modelParallel', worldSize: 8 }, 'placement', /cannot place 3 Linear layers on 8 devices/],
  [
    { modelParallel: { split: [1, 1] }, mode: 'modelParallel' },
    'placement',
    /modelParallel.split is \[1, 1\] .* places 2 layers on 2 devices, but there are 5 layers and 4 devices/,
  ],
  [{ batchSize: 3 }, 'placement', /batchSize is 3 and worldSize is 4: 1 rank would get no row/],
  [{ memoryBudgetMb: 0.002 }, 'memory', /CUDA out of memory/],
  [{ optimizer: { type: 'SGD', lr: -1 } }, 'config', /optimizer\.lr/],
  [{ colour: 'red' }, 'config', /colour/],
  [{ data: { type: 'csv', file: 'missing.csv' } }, 'data', /missing\.csv/],
] as const)('refuses %j as %s', async (extra, code, message) => {
  await expect(openTestSession({ ...ddp, ...extra } as ConfigInput)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/\w/),
  });
});

test('the report of a run is the same from run() as from the command line', async () => {
  const s = await openTestSession(ddp);
  const report = await s.api.run({ ...ddp, steps: 20 }, {});
  expect(report.steps).toBe(20);
  expect(report.losses).toHaveLength(20);
  expect(report.weightsSha256).toMatch(/^[0-9a-f]{64}$/);
  expect(report.replicaDivergence).toBe(0);
  expect(report.differenceFromSingle).toBeLessThan(1e-5);
  expect(report.bytes.perRank.reduce((a, b) => a + b, 0)).toBe(2 * 3 * 420);
  await s.close();
});
