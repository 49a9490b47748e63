/**
 * The control: its reference is the run's own, it grows as a rounding difference grows and not as another one, and
 * nothing that happens to the run touches it.
 */
import { describe, expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { firstOfStep } from '../../protocol/micro-batches';
import type { SessionEvent } from '../../protocol/session-events';
import type { DifferenceAt } from '../../protocol/snapshot';
import { openTestSession, type TestSession } from '../../session/testing/open-session';
import { type Blueprint, createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { differenceFromSingle } from '../weights/weight-differences';
import { nextCompared } from './compared-steps';
import { openControlRun } from './control-run';
import { oneUlpAway } from './one-ulp-away';

const keeper = new DeviceKeeper(undefined, true);
const devices = { keeper, gpu: undefined };

/** As the page's own start, smaller. */
const ddp: ConfigInput = {
  device: 'cpu',
  mode: 'ddp',
  worldSize: 4,
  model: {
    layers: [{ type: 'Linear', in: 2, out: 8 }, { type: 'Tanh' }, { type: 'Linear', in: 8, out: 1 }],
  },
  loss: { type: 'BCEWithLogitsLoss' },
  optimizer: { type: 'Adam', lr: 0.01 },
  data: { type: 'spiral', samples: 100 },
  batchSize: 16,
  seed: 4,
};
const dropout: ConfigInput['model'] = {
  layers: [
    { type: 'Linear', in: 2, out: 8 },
    { type: 'Dropout', p: 0.25 },
    { type: 'Linear', in: 8, out: 1 },
  ],
};

const blueprintOf = (config: ConfigInput): Blueprint => createBlueprint(parseConfig(config), {});

async function controlAfter(blueprint: Blueprint, steps: number) {
  const control = await openControlRun(blueprint, devices);
  while (control.step < steps) await control.advance(steps, 1000);
  const { differences } = control;
  const reference = await control.reference();
  await control.dispose();
  return { differences, reference };
}

async function runAfter(blueprint: Blueprint, steps: number) {
  const training = await createTraining(blueprint, devices);
  await training.run(firstOfStep(steps, blueprint.config));
  const weights = await training.weights();
  await training.dispose();
  return weights;
}

const valueAt = (differences: readonly DifferenceAt[], step: number): number =>
  must(
    differences.find((d) => d.step === step),
    `step ${step}`,
  ).value;

test('one unit in the last place', () => {
  const values = Float32Array.of(1, -1, 0, 0.1, Number.POSITIVE_INFINITY);
  const away = [...oneUlpAway(values)];
  expect(away).toEqual([1 + 2 ** -23, -1 + 2 ** -24, 2 ** -149, Math.fround(0.1) + 2 ** -27, Number.POSITIVE_INFINITY]);
});

test('one unit in the last place of bfloat16', () => {
  const values = Float32Array.of(1, -1, 0, Number.POSITIVE_INFINITY);
  const away = [...oneUlpAway(values, 'bf16')];
  expect(away).toEqual([1 + 2 ** -7, -1 + 2 ** -8, 2 ** -133, Number.POSITIVE_INFINITY]);
});

test('few steps are compared, and step 100 is one of them', () => {
  const steps = [0];
  while ((steps.at(-1) ?? 0) < 100_000) steps.push(nextCompared(steps.at(-1) ?? 0));
  expect(steps.slice(0, 10)).toEqual([0, 1, 2, 5, 10, 20, 50, 100, 110, 121]);
  expect(steps.length).toBeLessThan(100);
});

describe('a difference that is rounding', () => {
  test.each([
    ['ddp', ddp],
    ['dataParallel', { ...ddp, mode: 'dataParallel' }],
    ['masks of dropout', { ...ddp, model: dropout }],
    ['groups of micro-batches', { ...ddp, accumulate: 2 }],
    ['a model in bfloat16', { ...ddp, precision: 'bf16' }],
  ] as const satisfies readonly (readonly [string, ConfigInput])[])(
    '%s: the control grows alike, from the bits of the reference of the run',
    async (_, config) => {
      const blueprint = blueprintOf(config);
      const weights = await runAfter(blueprint, 100);
      const { differences, reference } = await controlAfter(blueprint, 100);
      for (const [name, values] of reference) expect(values, name).toEqual(weights.reference?.get(name));
      const own = must(differenceFromSingle(blueprint, weights), 'difference');
      const control = valueAt(differences, 100);
      expect(control).toBeGreaterThan(0);
      expect(own / control).toBeLessThan(30);
      expect(control / own).toBeLessThan(30);
    },
  );
});

describe('a difference with another cause', () => {
  test.each([
    ['a hook', { ...ddp, ddp: { commHook: { type: 'fp16Compress' } } }],
    ['seeds', { ...ddp, ddp: { initSync: false, rankSeeds: 'beforeModel' } }],
    ['a sum', { ...ddp, optimizer: { type: 'SGD', lr: 0.01 }, loss: { type: 'BCEWithLogitsLoss', reduction: 'sum' } }],
    [
      'statistics of batch norm',
      {
        ...ddp,
        worldSize: 2,
        data: { type: 'spiral', samples: 96 },
        // Adam would make full steps of the bias before batch norm, whose gradient is nothing but rounding, in the
        // control, too.
        optimizer: { type: 'SGD', lr: 0.1 },
        model: {
          layers: [
            { type: 'Linear', in: 2, out: 8 },
            { type: 'BatchNorm1d', features: 8 },
            { type: 'Linear', in: 8, out: 1 },
          ],
        },
      },
    ],
  ] as const satisfies readonly (readonly [string, ConfigInput])[])('%s: far beyond the control', async (_, config) => {
    const blueprint = blueprintOf(config);
    const weights = await runAfter(blueprint, 100);
    const { differences } = await controlAfter(blueprint, 100);
    const own = must(differenceFromSingle(blueprint, weights), 'difference');
    expect(own / valueAt(differences, 100)).toBeGreaterThan(100);
  });
});

const play = (s: TestSession) => s.control({ type: 'play', stepsPerSecond: 0 });

async function playTo(s: TestSession, step: number): Promise<void> {
  const there = s.until('losses', ({ records }) => (records.at(-1)?.step ?? 0) >= step);
  play(s);
  await there;
  const paused = s.until('state', ({ state }) => state === 'paused');
  s.control({ type: 'pause' });
  await paused;
}

/** A step at which the session looks at the weights anyway says its difference with them. */
function differencesIn(event: SessionEvent): readonly DifferenceAt[] {
  if (event.type === 'difference') return [event.difference];
  if (event.type !== 'snapshot' || event.snapshot.differenceFromSingle === undefined) return [];
  return [{ step: event.snapshot.step, value: event.snapshot.differenceFromSingle }];
}

async function caughtUp(s: TestSession) {
  const { step } = await s.api.snapshot();
  for (;;) {
    const progress = must(await s.api.controlRun(true), 'control');
    if (progress.step >= step) return progress;
  }
}

describe('in a session', () => {
  test('reaches the step of the run and reports its differences; the run reports its own at the same steps', async () => {
    const s = await openTestSession(ddp);
    await playTo(s, 150);
    const { step } = await s.api.snapshot();
    const progress = await caughtUp(s);
    expect(progress.step).toBe(step);
    const own = s.events.flatMap(differencesIn);
    expect(own.map((d) => d.step)).toEqual(expect.arrayContaining([5, 10, 20, 50, 100, 110]));
    const { differences } = await controlAfter(blueprintOf(ddp), 110);
    for (const known of differences) expect(progress.differences).toContainEqual(known);
    expect(valueAt(own, 100) / valueAt(progress.differences, 100)).toBeLessThan(30);
    await s.close();
  });

  test('is the same after Reset, after a rank has died, and when it was freed in between', async () => {
    const s = await openTestSession({ ...ddp, maxRestarts: 2 });
    await playTo(s, 120);
    const before = await caughtUp(s);
    expect(await s.api.controlRun(false)).toBeUndefined();
    const restarted = s.until('state', ({ state }) => state === 'paused');
    await s.api.killRank(1);
    await restarted;
    const again = await caughtUp(s);
    expect(again.differences).toEqual(before.differences);
    await s.api.reset();
    // It is ahead of the run now, and stays where it is.
    expect(await s.api.controlRun(true)).toEqual(again);
    await s.close();
  });

  test('there is no control run without a single-device reference', async () => {
    for (const config of [
      { ...ddp, compareSingle: false },
      { ...ddp, mode: 'single' },
    ] satisfies ConfigInput[]) {
      const s = await openTestSession(config);
      expect(await s.api.controlRun(true)).toBeUndefined();
      await s.close();
    }
  });
});
