/**
 * Really runs each exhibit that is a run: the mistake has its known effect on the numbers, and the cure removes it.
 * scripts.test.ts tests the others.
 *
 * @module-tag rest: scripts.test.ts makes other bugs of the museum, and museum.spec.ts opens and cures one on the page.
 */
import { expect, test } from 'vitest';
import { at, must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { runConfig } from '../headless/run';
import type { Config, ConfigInput } from '../protocol/config';
import { type Blueprint, createBlueprint } from '../training/blueprint';
import { createTraining } from '../training/create-training';
import { DeviceKeeper } from '../training/device-keeper';
import type { Weights } from '../training/weights/weights';
import { EXHIBITS } from './exhibits';
import { EXHIBIT_IDS, type ExhibitId, exhibitConfig, MISTAKES } from './mistakes';

const configOf = (id: ExhibitId, cured: boolean, more: ConfigInput = {}): Config =>
  parseConfig({ ...must(exhibitConfig(id, cured), id), device: 'cpu', ...more });

const report = async (id: ExhibitId, cured: boolean, steps: number) =>
  (await runConfig(configOf(id, cured, { steps }), {})).report;

/** The weights of all ranks and of the single-device reference after some steps. */
async function trained(config: Config, steps: number): Promise<{ blueprint: Blueprint; weights: Weights }> {
  const blueprint = createBlueprint(config, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  try {
    if (steps > 0) await training.run(steps);
    return { blueprint, weights: await training.weights() };
  } finally {
    await training.dispose();
  }
}

/** The rows of each epoch, in the order in which all ranks read them. */
function epochs(config: Config, count: number): readonly (readonly number[])[] {
  const blueprint = createBlueprint(config, {});
  const batches = blueprint.batches();
  return Array.from({ length: count }, () =>
    Array.from({ length: blueprint.batchesPerEpoch }, () => batches.next().rows.flatMap((rows) => [...rows])).flat(),
  );
}

const sorted = (rows: readonly number[]): readonly number[] => [...rows].sort((a, b) => a - b);

test('every exhibit has its mistake and its label', () => {
  expect(EXHIBITS.map(({ id }) => id)).toEqual(EXHIBIT_IDS);
  for (const { id, met, asked = [] } of EXHIBITS) {
    expect([...met, ...asked].length, id).toBeGreaterThan(0);
    for (const thread of [...met, ...asked]) expect(thread).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/);
  }
  for (const id of EXHIBIT_IDS.filter((known) => MISTAKES[known].kind === 'run')) {
    expect(configOf(id, false)).not.toEqual(configOf(id, true));
  }
});

test('set_epoch forgotten: each epoch has the order of the first', () => {
  const [first, second] = epochs(configOf('set-epoch', false), 2);
  expect(second).toEqual(first);
  const [own, other] = epochs(configOf('set-epoch', true), 2);
  expect(other).not.toEqual(own);
  expect(sorted(must(other, 'an epoch'))).toEqual(sorted(must(own, 'an epoch')));
});

test('different seeds and no broadcast: the replicas stay as far apart as they began', async () => {
  const start = (await report('seeds', false, 1)).replicaDivergence;
  expect(start).toBeGreaterThan(0.1);
  // All ranks subtract the same steps: SGD without momentum keeps the distance, within rounding.
  expect((await report('seeds', false, 20)).replicaDivergence).toBeCloseTo(start, 4);
  expect((await report('seeds', true, 20)).replicaDivergence).toBe(0);
});

test('summed loss: the step of four ranks is a fourth of what one device does on the same rows', async () => {
  const { blueprint, weights } = await trained(configOf('sum-loss', false), 1);
  for (const { name, data } of blueprint.parameters) {
    const ddp = must(at(weights.devices, 0).get(name), name);
    const single = must(weights.reference?.get(name), name);
    data.forEach((before, i) => {
      const [own, alone] = [at(ddp, i) - before, at(single, i) - before];
      expect(Math.abs(4 * own - alone)).toBeLessThan(1e-5);
    });
  }
  expect((await report('sum-loss', false, 4)).differenceFromSingle).toBeGreaterThan(1e-3);
  expect((await report('sum-loss', true, 4)).differenceFromSingle).toBeLessThan(1e-6);
});

test('forward outside no_sync: the same weights for four times the bytes', async () => {
  const [wrong, right] = [await report('no-sync', false, 2), await report('no-sync', true, 2)];
  expect(wrong.bytes.total / right.bytes.total).toBeCloseTo(4, 6);
  expect(wrong.losses.at(-1)?.loss).toBeCloseTo(must(right.losses.at(-1), 'a loss').loss, 5);
  expect(wrong.replicaDivergence).toBe(0);
});

test('an unused parameter: the second forward fails in PyTorch’s words; with the flag it trains', async () => {
  const wrong = await report('unused', false, 4);
  expect(wrong.error?.message).toMatch(/Expected to have finished reduction in the prior iteration/);
  expect(wrong.steps).toBe(1);
  const right = await report('unused', true, 4);
  expect(right.error).toBeUndefined();
  expect(right.steps).toBe(4);
  expect(right.differenceFromSingle).toBeLessThan(1e-6);
});

test('uneven inputs without join: it ends where the shortest rank does; with join it goes on', async () => {
  // 8 rows per batch: rank 0 has 5 batches, the others 4.
  const wrong = await report('uneven', false, 5);
  expect(wrong.error).toBeDefined();
  expect(wrong.steps).toBe(4);
  const right = await report('uneven', true, 5);
  expect(right.error).toBeUndefined();
  expect(right.steps).toBe(5);
});

test('a last batch of 3 against 1: DDP takes the mean of means, until ranks have as many rows', async () => {
  // 4 rows per batch and rank: 4 full steps, then 3 rows against 1.
  const before = await report('last-batch', false, 4);
  expect(before.differenceFromSingle).toBeLessThan(1e-6);
  const after = await report('last-batch', false, 5);
  expect(after.differenceFromSingle).toBeGreaterThan(1e-4);
  expect((await report('last-batch', true, 5)).differenceFromSingle).toBeLessThan(1e-6);
});

test('learning rate not scaled: the first step is a fourth, and epochs later the loss is behind', async () => {
  const stepOf = async (cured: boolean) => {
    const { blueprint, weights } = await trained(configOf('learning-rate', cured), 1);
    const { name, data } = at(blueprint.parameters, 0);
    return at(must(at(weights.devices, 0).get(name), name), 0) - at(data, 0);
  };
  expect((await stepOf(true)) / (await stepOf(false))).toBeCloseTo(4, 2);
  const [wrong, right] = [await report('learning-rate', false, 80), await report('learning-rate', true, 80)];
  expect(wrong.finalLoss).toBeGreaterThan(10 * right.finalLoss);
  // After 10 epochs the run is as far as one device with a batch of 8 after the same number of steps, a quarter of the
  // epochs.
  const alone = configOf('learning-rate', false, { mode: 'single', batchSize: 8, steps: 80 });
  const { losses } = (await runConfig(alone, {})).report;
  const lastEight = (all: readonly { readonly loss: number }[]) =>
    all.slice(-8).reduce((sum, { loss }) => sum + loss / 8, 0);
  expect(Math.abs(lastEight(losses) - lastEight(wrong.losses))).toBeLessThan(0.02);
});

test('the model built after the seeds differ: only the broadcast makes the replicas one', async () => {
  const start = async (cured: boolean, initSync: boolean) => {
    const config = configOf('seed-before-model', cured);
    const { weights } = await trained({ ...config, ddp: { ...config.ddp, initSync } }, 0);
    const [first, ...others] = weights.devices;
    const name = '0.weight';
    const own = must(first?.get(name), name);
    return Math.max(
      ...others.flatMap((device) => [...must(device.get(name), name)].map((value, i) => Math.abs(value - at(own, i)))),
    );
  };
  expect(await start(false, false)).toBeGreaterThan(0.1);
  expect(await start(false, true)).toBe(0);
  // With the cure, the broadcast changes nothing.
  expect(await start(true, false)).toBe(0);
});

test('a plan that names no module: both ranks train the whole model; with its names each has half of two layers', async () => {
  const [wrong, right] = [await report('wrong-name', false, 10), await report('wrong-name', true, 10)];
  const warned = ({ notices }: typeof wrong) => notices.filter(({ level }) => level === 'warning').map(({ id }) => id);
  expect(warned(wrong)).toEqual(['plan-names-no-module', 'nothing-cut']);
  expect(warned(right)).toEqual([]);
  expect(wrong.bytes.total).toBe(0);
  expect(right.bytes.total).toBeGreaterThan(0);
  // The losses do not show the mistake: they equal those of the divided model, and of one device.
  expect(wrong.losses.at(-1)?.loss).toBeCloseTo(must(right.losses.at(-1), 'a loss').loss, 5);
  expect(wrong.differenceFromSingle).toBe(0);
  expect(wrong.time.modelledStepUs).toBeGreaterThan(1.3 * right.time.modelledStepUs);
  const held = ({ memory }: typeof wrong) => memory.map(({ byCategory }) => byCategory.parameter ?? 0);
  const [whole = 0] = held(wrong);
  expect(held(wrong)).toEqual([whole, whole]);
  for (const bytes of held(right)) expect(bytes).toBeLessThan(0.7 * whole);
});

test('set_requires_gradient_sync forgotten: the same losses, and gradients scattered in every pass', async () => {
  const [wrong, right] = [await report('sync-every-pass', false, 4), await report('sync-every-pass', true, 4)];
  expect(wrong.losses.at(-1)?.loss).toBeCloseTo(must(right.losses.at(-1), 'a loss').loss, 5);
  // Two gathers per pass; the gradients once more in every pass, or once in four passes.
  expect(wrong.bytes.total / right.bytes.total).toBeCloseTo(12 / 9, 1);
  const gradients = ({ memory }: typeof wrong) => must(memory[0]?.byCategory.gradient, 'gradients');
  expect(gradients(right)).toBeGreaterThan(2 * gradients(wrong));
});

test('float16 without a scaler: the gradients of the first layers are 0, and nothing is learned', async () => {
  const [wrong, right] = [await report('half-unscaled', false, 300), await report('half-unscaled', true, 300)];
  const last = ({ losses }: typeof wrong) => must(losses.at(-1), 'a loss').loss;
  expect(last(wrong)).toBeGreaterThan(0.69);
  expect(last(right)).toBeLessThan(0.4);
});

test('clipping before unscale_: the gradients are smaller by the scale, and the weights hardly move', async () => {
  const moved = async (cured: boolean) => {
    const config = configOf('clip-scaled', cured, { compareSingle: false });
    const [before, after] = [await trained(config, 0), await trained(config, 20)];
    const [start, end] = [must(before.weights.devices[0], 'start'), must(after.weights.devices[0], 'end')];
    return Math.max(
      ...[...start].flatMap(([name, own]) => [...own].map((v, i) => Math.abs(v - at(must(end.get(name), name), i)))),
    );
  };
  expect(await moved(false)).toBeLessThan(20 * 0.1 * 2 ** -16 * 1.01);
  expect(await moved(true)).toBeGreaterThan(0.01);
});
