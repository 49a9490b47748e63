/**
 * The parameter server: synchronous training is that of a single device, asynchronous training without staleness is SGD
 * over the workers' batches in turn.
 */
import { describe, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';

const BASE: ConfigInput = {
  model: { layers: [{ type: 'Linear', in: 3, out: 6 }, { type: 'Tanh' }, { type: 'Linear', in: 6, out: 2 }] },
  loss: { type: 'MSELoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  data: { type: 'randomRegression', samples: 30, in: 3, out: 2 },
  batchSize: 12,
  mode: 'parameterServer',
  worldSize: 4,
  device: 'cpu',
};

async function train(config: ConfigInput, steps: number) {
  const keeper = new DeviceKeeper(undefined, true);
  const training = await createTraining(createBlueprint(parseConfig({ ...BASE, ...config }), {}), {
    keeper,
    gpu: undefined,
  });
  const records = [(await training.trace()).losses, ...(await training.run(steps - 1))];
  const { devices, reference } = await training.weights();
  await training.dispose();
  return { records, server: at(devices, 0), reference };
}

function apart(a: ReadonlyMap<string, Float32Array>, b: ReadonlyMap<string, Float32Array>): number {
  return Math.max(...[...b].flatMap(([name, data]) => [...data].map((v, i) => Math.abs(v - (a.get(name)?.[i] ?? 9)))));
}

describe.each(['shared', 'workers'] as const)('%s', (placement) => {
  // 30 rows in batches of 12: the last has 6, and micro-batches of 6 are cut 2, 2, 2.
  test.each<[string, ConfigInput]>([
    ['plain', {}],
    ['unequal chunks', { batchSize: 10, worldSize: 5 }],
    ['micro-batches, clipped, Adam', { accumulate: 2, clipGradNorm: 0.5, optimizer: { type: 'Adam', lr: 0.01 } }],
    ['a sum', { loss: { type: 'MSELoss', reduction: 'sum' }, optimizer: { type: 'SGD', lr: 0.001 } }],
    ['one device', { worldSize: 1 }],
  ])('synchronous is single: %s', async (_, config) => {
    const { server, reference, records } = await train({ ...config, placement }, 7);
    expect(apart(server, reference ?? new Map())).toBeLessThan(1e-5);
    // The loss that is shown is that of the step, whatever share of the rows each worker has.
    const alone = await train({ ...config, mode: 'single', placement: 'shared' }, 7);
    for (const [i, { loss }] of alone.records.entries()) expect(at(records, i).loss / loss).toBeCloseTo(1, 5);
  });

  test('without staleness workers take turns', async () => {
    const sequence = await train({ mode: 'single', batchSize: 4, shuffle: false, placement: 'shared' }, 21);
    const asynchronous = {
      parameterServer: { synchronous: false, staleness: 0 },
      shuffle: false,
      compareSingle: false,
    };
    // Three workers with four rows each, thirty rows: an epoch is three steps of 12, 12 and 6, so keep to the first
    // two.
    const { records, server } = await train({ ...asynchronous, placement }, 2);
    const losses = records.flatMap((r) => r.perRank);
    losses.forEach((loss, i) => {
      expect(loss).toBeCloseTo(at(sequence.records, i).loss, 5);
    });
    const { server: after } = await train({ mode: 'single', batchSize: 4, shuffle: false, compareSingle: false }, 6);
    expect(apart(server, after)).toBeLessThan(1e-6);
  });
});

test('staleness: every gradient is of the parameters that many updates ago', async () => {
  const rate = 0.05;
  for (const staleness of [0, 1, 2, 3, 5, 7]) {
    // One number w, loss mean((w x - y)^2) over each worker's two rows, with the same rows in every step.
    const config: ConfigInput = {
      model: { layers: [{ type: 'Linear', in: 1, out: 1, bias: false }] },
      optimizer: { type: 'SGD', lr: rate },
      data: { type: 'randomRegression', samples: 6, in: 1, out: 1 },
      batchSize: 6,
      shuffle: false,
      compareSingle: false,
      parameterServer: { synchronous: false, staleness },
    };
    const steps = 5;
    const blueprint = createBlueprint(parseConfig({ ...BASE, ...config }), {});
    const { inputs, targets } = blueprint.table;
    const versions = [at(at(blueprint.parameters, 0).data, 0)];
    for (let u = 0; u < steps * 3; u++) {
      const w = at(versions, Math.max(0, u - staleness));
      const rows = [2 * (u % 3), 2 * (u % 3) + 1];
      const slope = rows.reduce((s, r) => s + (w * at(inputs, r) - at(targets, r)) * at(inputs, r), 0);
      versions.push(at(versions, u) - rate * slope);
    }
    const { server } = await train(config, steps);
    expect(at(server.get('0.weight') ?? [], 0), `staleness ${staleness}`).toBeCloseTo(at(versions, steps * 3), 5);
  }
});
