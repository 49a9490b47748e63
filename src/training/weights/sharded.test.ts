/**
 * Parameters that lie in pieces on several devices: their initial values are pieces of the one draw, and everything
 * that comes out of a run (snapshot, hash, difference, file of weights, checkpoint) has the whole tensors and the bits
 * of one device. A checkpoint of two devices goes on on one, two and four.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { createSnapshots } from '../../inference/snapshot';
import { readSafetensors } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import { flatPlacements } from '../../sharding/flat-placements';
import { shard } from '../../sharding/placement';
import { distributed, ownedBy, pieceOn, placed, replicated } from '../../sharding/shard-map';
import { slice } from '../../sharding/slice';
import { elements } from '../../tensor/shape';
import { createBlueprint } from '../blueprint';
import { writeCheckpoint } from '../checkpoint/checkpoint-file';
import { modelFileName, stateFileName } from '../checkpoint/file-names';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { type LayoutOf, shardedMode } from '../testing/sharded-mode';
import type { Training } from '../training';
import { mergedState, mergedWeights } from './merged-weights';
import { differenceFromSingle, replicaDivergence } from './weight-differences';
import { startWeights, weightsIn } from './weights';
import { weightsFile } from './weights-file';
import { hashWeights } from './weights-hash';

const dimOf = (shape: readonly number[], dim: number) => Math.min(dim, shape.length - 1);

const LAYOUTS: Readonly<Record<string, LayoutOf>> = {
  'Shard(0)': ({ shape }, devices) => placed(shape, shard(0), devices),
  'Shard(1)': ({ shape }, devices) => placed(shape, shard(dimOf(shape, 1)), devices),
  'Shard(0) in blocks': ({ shape }, devices) => placed(shape, shard(0, 2), devices),
  'one weight cut, all others whole on every device': ({ name, shape }, devices) =>
    name === '0.weight' ? placed(shape, shard(0), devices) : replicated(shape, devices),
  'pieces that two devices have each (HSDP)': ({ shape }, devices) => {
    const count = Math.ceil(devices.length / 2);
    const cuts = (device: number) => [{ placement: shard(0), index: device % count, count }];
    return distributed(
      shape,
      devices.map((device) => ({ device, cuts: cuts(device) })),
    );
  },
  'one flat parameter (FSDP)': ({ name, shape }, devices, tensors) =>
    distributed(
      shape,
      devices.map((device) => {
        const placements = flatPlacements(
          tensors.map((t) => elements(t.shape)),
          device,
          devices.length,
        );
        const placement = at(
          placements,
          tensors.findIndex((t) => t.name === name),
        );
        return { device, cuts: [{ placement, index: device, count: devices.length }] };
      }),
    ),
  'each on one device, the last first': ({ shape }, devices) => ownedBy(shape, devices.length - 1),
};

/** Five rows over two or four devices are no equal parts, and one row is for one device. */
const base: ConfigInput = {
  device: 'cpu',
  mode: 'dataParallel',
  seed: 5,
  data: { type: 'xor', samples: 20 },
  batchSize: 4,
  model: { layers: [{ type: 'Linear', in: 2, out: 5 }, { type: 'Tanh' }, { type: 'Linear', in: 5, out: 1 }] },
  optimizer: { type: 'Adam', lr: 0.01, amsgrad: true },
};

interface Run {
  readonly layout: LayoutOf;
  readonly worldSize: number;
  readonly files?: Files;
}

async function using<T>({ layout, worldSize, files }: Run, use: (training: Training) => Promise<T>): Promise<T> {
  const config = parseConfig({ ...base, worldSize, ...(files ? { resume: 'run' } : {}) });
  const keeper = new DeviceKeeper(undefined, true);
  const blueprint = createBlueprint(config, files ?? {}, { mode: shardedMode(layout) });
  const training = await createTraining(blueprint, { keeper, gpu: undefined });
  try {
    return await use(training);
  } finally {
    await training.dispose();
    keeper.forget();
  }
}

/** All that leaves a run as a whole, without what names its world. */
async function outcome(training: Training) {
  const { blueprint } = training;
  const weights = await training.weights();
  const { model, state } = writeCheckpoint(blueprint, await training.checkpoint());
  const {
    replicaDivergence: divergence,
    differenceFromSingle: difference,
    ...seen
  } = createSnapshots(blueprint).take(weights);
  return {
    hash: await hashWeights(mergedWeights(blueprint, weights)),
    state: mergedState(blueprint, weights),
    file: weightsFile(blueprint, weights),
    model,
    tensors: new Map(
      readSafetensors('state', state).flatMap((t) => (t.name.startsWith('twin/') ? [] : [[t.name, t] as const])),
    ),
    replicas: replicaDivergence(blueprint, weights),
    difference,
    divergence,
    losses: [seen.trainLoss, seen.testLoss],
    parameters: seen.parameters,
  };
}

const saved = async (training: Training): Promise<Files> => {
  const { model, state } = writeCheckpoint(training.blueprint, await training.checkpoint());
  return { [modelFileName('run')]: model, [stateFileName('run')]: state };
};
const whole: LayoutOf = ({ shape }, devices) => replicated(shape, devices);
const ONE: Run = { layout: whole, worldSize: 1 };
const ranFor = (run: Run, steps: number) =>
  using(run, async (training) => {
    await training.run(steps);
    return outcome(training);
  });

describe.each(Object.entries(LAYOUTS))('%s', (_, layout) => {
  test.each([2, 4])('%i devices begin with their pieces of the one draw', (worldSize) =>
    using({ layout, worldSize }, async (training) => {
      const { blueprint } = training;
      const weights = await training.weights();
      for (const { name, shape, data } of blueprint.parameters) {
        const held = must(blueprint.shards.get(name), name);
        weights.devices.forEach((own, device) => {
          const piece = pieceOn(held, device);
          const values = piece ? slice(data, shape, piece) : new Float32Array(0);
          expect(own.get(name) ?? new Float32Array(0), `${name} on cuda:${device}`).toEqual(values);
        });
      }
      expect(differenceFromSingle(blueprint, weights)).toBe(0);
      const left = startWeights(blueprint);
      expect(left.devices).toEqual(weights.devices);
      expect(weightsIn(await training.checkpoint(), blueprint).devices).toEqual(weights.devices);
    }),
  );

  test.each([2, 4])('after three steps %i devices have the weights of one device, bit for bit', async (worldSize) => {
    const [one, many] = [await ranFor(ONE, 3), await ranFor({ layout, worldSize }, 3)];
    expect(many).toEqual(one);
    expect(many.replicas).toBe(0);
    expect(many.difference).toBeGreaterThan(0);
  });

  test('a checkpoint of two devices continues on one, two and four devices, and a checkpoint of one device on two', async () => {
    const straight = (await ranFor(ONE, 5)).hash;
    const half = await using({ layout, worldSize: 2 }, async (training) => {
      await training.run(3);
      return saved(training);
    });
    for (const worldSize of [1, 2, 4])
      expect((await ranFor({ layout, worldSize, files: half }, 2)).hash, `on ${worldSize}`).toEqual(straight);
    const single = await using(ONE, async (training) => {
      await training.run(3);
      return saved(training);
    });
    expect((await ranFor({ layout, worldSize: 2, files: single }, 2)).hash).toEqual(straight);
  });
});

test('a replica of a piece that differs is seen, and has its own place in the checkpoint', async () => {
  const layout = must(LAYOUTS['pieces that two devices have each (HSDP)'], 'HSDP');
  const run: Run = { layout, worldSize: 4 };
  const files = await using(run, async (training) => {
    const checkpoint = await training.checkpoint();
    const values = checkpoint.values.map((value) =>
      value.device === 3 && value.buffer === '0.weight' ? { ...value, data: value.data.map((x) => x + 1) } : value,
    );
    await training.restore({ ...checkpoint, values });
    expect(replicaDivergence(training.blueprint, await training.weights())).toBeCloseTo(1);
    return saved(training);
  });
  const { state = new Uint8Array(0) } = { state: files[stateFileName('run')] };
  expect(readSafetensors('state', state).find(({ name }) => name === '0.weight@cuda:3')?.shape).toEqual([2, 2]);
  await using({ ...run, files }, async (training) => {
    expect(replicaDivergence(training.blueprint, await training.weights())).toBeCloseTo(1);
  });
  const other = await using({ layout, worldSize: 2, files }, async (training) =>
    hashWeights(mergedWeights(training.blueprint, await training.weights())),
  );
  expect(other).toEqual(await using(ONE, async (t) => hashWeights(mergedWeights(t.blueprint, await t.weights()))));
});

test('a mode whose Programs hold other pieces than its shard map says is refused', () => {
  const config = parseConfig({ ...base, worldSize: 2 });
  const rows: LayoutOf = ({ shape }, devices) => placed(shape, shard(0), devices);
  const onFirst: LayoutOf = ({ shape }) => ownedBy(shape, 0);
  expect(() => createBlueprint(config, {}, { mode: shardedMode(rows, whole) })).toThrow(
    'The piece of 0.weight on cuda:0 has shape [5, 2], and [3, 2] by the shard map.',
  );
  expect(() => createBlueprint(config, {}, { mode: shardedMode(onFirst, whole) })).toThrow(
    'cuda:1 holds 0.weight, but the shard map gives it no part of it.',
  );
  expect(() => createBlueprint(config, {}, { mode: shardedMode(whole, onFirst) })).toThrow(
    'cuda:1 does not hold its piece of 0.weight.',
  );
});
