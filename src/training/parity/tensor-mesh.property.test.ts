/**
 * Tensor parallelism on random meshes: nets of whole layers and column/row pairs with any widths, cut over tp, beside
 * replicas and pipeline stages, train like one device.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import type { StyleName } from '../../protocol/config/tensor';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const STEPS = 4;
/** float32 sums in another order. */
const BAR = 1e-6;
const IN = 3;

interface Block {
  readonly kind: 'pair' | 'whole';
  /** Of a pair: every one of three ranks gets a part. */
  readonly hidden: number;
  readonly out: number;
  readonly bias: boolean;
  readonly activation: 'Tanh' | 'GELU' | 'Sigmoid';
  /** Dropout behind the activation. */
  readonly drops: boolean;
}

const block: fc.Arbitrary<Block> = fc.record({
  kind: fc.constantFrom('pair', 'pair', 'whole'),
  hidden: fc.constantFrom(5, 6, 7, 8, 9),
  out: fc.integer({ min: 1, max: 5 }),
  bias: fc.boolean(),
  activation: fc.constantFrom('Tanh', 'GELU', 'Sigmoid'),
  drops: fc.boolean(),
});

interface Net {
  readonly layers: LayerInput[];
  readonly plan: Record<string, StyleName>;
  /** Layers of each block. */
  readonly sizes: number[];
}

function netOf(blocks: readonly Block[]): Net {
  const net: Net = { layers: [], plan: {}, sizes: [] };
  let width = IN;
  for (const { kind, hidden, out, bias, activation, drops } of blocks) {
    const [start, pair] = [net.layers.length, kind === 'pair'];
    if (pair) net.plan[start] = 'ColwiseParallel';
    net.layers.push({ type: 'Linear', in: width, out: pair ? hidden : out, bias }, { type: activation });
    if (drops) net.layers.push({ type: 'Dropout', p: 0.25 });
    if (pair) {
      net.plan[net.layers.length] = 'RowwiseParallel';
      net.layers.push({ type: 'Linear', in: hidden, out, bias });
    }
    net.sizes.push(net.layers.length - start);
    width = out;
  }
  return net;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const runs = fc.record({
  blocks: fc.array(block, { minLength: 2, maxLength: 3 }),
  mesh: fc.constantFrom([1, 1, 3], [1, 2, 2], [2, 1, 2], [2, 2, 2], [1, 2, 3], [2, 1, 3]),
  clip: fc.constantFrom(undefined, 0.05, 1),
  algorithm: fc.constantFrom('ring', 'naive', 'halvingDoubling', 'tree'),
  bucketCapMb: fc.constantFrom(0.00005, 25),
  segments: fc.constantFrom(undefined, 2, 3),
});

test('any net on any mesh: the weights of one device', { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(runs, async ({ blocks, mesh, clip, algorithm, bucketCapMb, segments }) => {
    const [pp = 1, dpReplicate = 1, tp = 1] = mesh;
    const { layers, plan, sizes } = netOf(blocks);
    const [first = 1, ...rest] = sizes;
    const input: ConfigInput = {
      ...(pp > 1 ? { mode: 'pipeline', pipeline: { microBatches: 2, split: [first, sum(rest)] } } : { mode: 'tensor' }),
      mesh: { ...(pp > 1 ? { pp } : {}), dpReplicate, tp },
      tensor: { plan },
      device: 'cpu',
      model: { layers },
      data: { type: 'randomRegression', samples: 24, in: IN, out: blocks.at(-1)?.out ?? 1 },
      loss: { type: 'MSELoss' },
      optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
      batchSize: 8,
      ddp: { algorithm, bucketCapMb },
      ...(clip === undefined ? {} : { clipGradNorm: clip }),
      ...(segments === undefined ? {} : { checkpointSegments: segments }),
    };
    const blueprint = createBlueprint(parseConfig(input), {});
    const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
    await training.run(STEPS);
    const weights = await training.weights();
    expect(replicaDivergence(blueprint, weights)).toBe(0);
    expect(differenceFromSingle(blueprint, weights)).toBeLessThanOrEqual(BAR);
    await training.dispose();
  });
  await fc.assert(property, { numRuns: 16 });
});
