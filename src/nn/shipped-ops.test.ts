/**
 * What workers load is what can run: every operator of the shipped table is made by some layer, loss, fusion or by the
 * pass that cuts a model, and the kernels of those operators ship with them. The others are in
 * graph/testing/all-ops.ts.
 */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { Autocast } from '../graph/autocast';
import { type Graph, GraphBuilder } from '../graph/graph';
import type { Launch } from '../graph/op';
import { OPS } from '../graph/op-table';
import { partition } from '../graph/partition/partition';
import { type PlanInput, planOf } from '../graph/partition/styles';
import { fuse } from '../graph/passes';
import { shadersFor } from '../graph/shader-sources';
import { ALL_OPS } from '../graph/testing/all-ops';
import { randomSource, type Sizes } from '../graph/testing/case-tools';
import { CASES } from '../graph/testing/cases';
import { differentiate } from '../graph/testing/differentiate';
import { TUNINGS } from '../graph/testing/hardware-tuning';
import { lowerFor } from '../graph/workgroup-launches';
import type { LayerInput, LayerType, LossConfig } from '../protocol/config';
import { type LayerConfig, layerSchema } from '../protocol/config/layers';
import { buildLoss } from './losses';
import { buildForward } from './model';

interface Sample {
  /** Of a batch of 4. */
  readonly row: readonly number[];
  readonly tokens?: true;
  readonly layers: readonly LayerInput[];
}

const onRows = (...layers: LayerInput[]): Sample => ({
  row: [6],
  layers: [{ type: 'Linear', in: 6, out: 6 }, ...layers],
});
const onImages = (...layers: LayerInput[]): Sample => ({
  row: [2, 8, 8],
  layers: [{ type: 'Conv2d', in: 2, out: 2, kernel: 3, padding: 1 }, ...layers, { type: 'Flatten' }],
});
const onSequences = (...layers: LayerInput[]): Sample => ({
  row: [5],
  tokens: true,
  layers: [{ type: 'TokenEmbedding', vocab: 7, context: 8, width: 6 }, ...layers],
});
const pool = { kernel: 2 } as const;

const SAMPLES: Readonly<Record<LayerType, readonly Sample[]>> = {
  Linear: [onRows()],
  ReLU: [onRows({ type: 'ReLU' }), onImages({ type: 'ReLU' }, { type: 'MaxPool2d', ...pool })],
  Tanh: [onRows({ type: 'Tanh' }, { type: 'Linear', in: 6, out: 6 })],
  Sigmoid: [onRows({ type: 'Sigmoid' })],
  GELU: [onRows({ type: 'GELU' })],
  LeakyReLU: [onRows({ type: 'LeakyReLU' })],
  ELU: [onRows({ type: 'ELU' })],
  SiLU: [onRows({ type: 'SiLU' })],
  Softplus: [onRows({ type: 'Softplus' })],
  Softmax: [onRows({ type: 'Softmax' })],
  LogSoftmax: [onRows({ type: 'LogSoftmax' })],
  Dropout: [onRows({ type: 'GELU' }, { type: 'Dropout' })],
  Flatten: [onImages()],
  Conv2d: [onImages()],
  MaxPool2d: [onImages({ type: 'MaxPool2d', ...pool })],
  AvgPool2d: [onImages({ type: 'AvgPool2d', ...pool })],
  AdaptiveAvgPool2d: [onImages({ type: 'AdaptiveAvgPool2d', output: 2 })],
  BatchNorm1d: [onRows({ type: 'BatchNorm1d', features: 6 })],
  BatchNorm2d: [
    onImages({ type: 'BatchNorm2d', features: 2 }, { type: 'ReLU' }, { type: 'MaxPool2d', ...pool }),
    onImages({ type: 'BatchNorm2d', features: 2 }),
  ],
  LayerNorm: [onRows({ type: 'LayerNorm', features: 6 })],
  GroupNorm: [onImages({ type: 'GroupNorm', groups: 1, channels: 2 })],
  Embedding: [{ row: [5], tokens: true, layers: [{ type: 'Embedding', vocab: 7, width: 6 }] }],
  TokenEmbedding: [onSequences()],
  MultiheadAttention: [onSequences({ type: 'MultiheadAttention', width: 6, heads: 2 })],
  TransformerBlock: [onSequences({ type: 'TransformerBlock', width: 6, heads: 2, dropout: 0.1 })],
  Residual: [onRows({ type: 'Residual', layers: [{ type: 'Linear', in: 6, out: 6 }] })],
  Unused: [onRows({ type: 'Unused', layers: [{ type: 'Linear', in: 6, out: 6 }] })],
};

const LOSSES: Readonly<Record<LossConfig['type'], LossConfig>> = {
  MSELoss: { type: 'MSELoss', reduction: 'mean' },
  CrossEntropyLoss: { type: 'CrossEntropyLoss', reduction: 'mean', ignoreIndex: -100, labelSmoothing: 0 },
  BCEWithLogitsLoss: { type: 'BCEWithLogitsLoss', reduction: 'mean' },
  L1Loss: { type: 'L1Loss', reduction: 'mean' },
  SmoothL1Loss: { type: 'SmoothL1Loss', reduction: 'mean', beta: 1 },
  HuberLoss: { type: 'HuberLoss', reduction: 'mean', delta: 1 },
  NLLLoss: { type: 'NLLLoss', reduction: 'mean', ignoreIndex: -100 },
};

const BATCH = 4;

const COLUMNS = { style: 'ColwiseParallel' } as const;
const ROWS = { style: 'RowwiseParallel' } as const;
const SEQUENCE = { style: 'SequenceParallel' } as const;
const OF_ROWS = { style: 'RowwiseParallel', output: 'Shard(1)' } as const;

/**
 * Among three ranks: layers of widths that three divides and does not divide, whose results are summed, gathered or
 * stay cut; and an embedding, a layer norm and a head with vocabulary, sequence and the classes of the loss cut.
 */
const CUT: readonly (readonly [Sample, PlanInput['styles']])[] = [
  [
    onRows({ type: 'Linear', in: 6, out: 7 }, { type: 'Linear', in: 7, out: 7 }),
    [
      ['0', ROWS],
      ['1', COLUMNS],
      ['2', { style: 'ColwiseParallel', output: 'Replicate' }],
    ],
  ],
  [
    onSequences(
      { type: 'LayerNorm', features: 6 },
      { type: 'Linear', in: 6, out: 6 },
      { type: 'Linear', in: 6, out: 7 },
    ),
    [
      ['0.tok', OF_ROWS],
      ['0.pos', OF_ROWS],
      ['1', SEQUENCE],
      ['2', OF_ROWS],
      ['3', COLUMNS],
    ],
  ],
];

/** What rank 0 of three computes. */
function cutGraph([sample, styles]: (typeof CUT)[number]): Graph {
  const layers = sample.layers.map((layer): LayerConfig => v.parse(layerSchema, layer));
  const whole = new GraphBuilder(OPS);
  const x = whole.value('x', { shape: [BATCH, ...sample.row], dtype: sample.tokens ? 'i32' : 'f32' }, 'input');
  const { output, parameters } = buildForward(whole, layers, x);
  const labels = whole.value('y', { shape: whole.typeOf(output).shape.slice(0, -1), dtype: 'i32' }, 'target');
  const loss = buildLoss(whole, LOSSES.CrossEntropyLoss, output, labels);
  const { plan } = planOf({ axis: 'tp', styles, lossParallel: true }, layers);
  const builder = new GraphBuilder(OPS);
  const { own } = partition(whole.finish(), builder, { plan, rank: { index: 0, count: 3 } });
  const seed = builder.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed');
  builder.backward(
    new Map([[own(loss), seed]]),
    parameters.map(({ value }) => own(value)),
  );
  return builder.finish();
}

function graphOf(sample: Sample, loss: LossConfig, training: boolean, synced: boolean, precision?: Autocast): Graph {
  const layers = sample.layers.map((layer): LayerConfig => v.parse(layerSchema, layer));
  const builder = new GraphBuilder(OPS, precision);
  const x = builder.value('x', { shape: [BATCH, ...sample.row], dtype: sample.tokens ? 'i32' : 'f32' }, 'input');
  const over = synced ? { ranks: 2, rows: 2 * BATCH } : undefined;
  const { output, parameters } = buildForward(builder, layers, x, { training, synced: over });
  if (!training) return builder.finish();
  const { shape } = builder.typeOf(output);
  const classes = loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss';
  const target = classes ? { shape: shape.slice(0, -1), dtype: 'i32' as const } : { shape, dtype: 'f32' as const };
  const value = buildLoss(builder, loss, output, builder.value('y', target, 'target'));
  const seed = builder.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed');
  // A first layer has no gradient of its input to make, a stage of model parallel has.
  const first = sample.tokens || loss.type === 'L1Loss';
  const wrt = [...parameters.map((p) => p.value), ...(first ? [] : [x])];
  builder.backward(new Map([[value, seed]]), wrt);
  return builder.finish();
}

const inHalf = (): Graph => graphOf(onRows(), LOSSES.MSELoss, true, false, new Autocast('bf16'));

/** Names of the operators of all samples, as they are and fused. */
function made(): ReadonlySet<string> {
  const graphs = Object.values(SAMPLES).flatMap((samples) =>
    samples.flatMap((sample) => [
      ...Object.values(LOSSES).map((loss) => graphOf(sample, loss, true, false)),
      graphOf(sample, LOSSES.MSELoss, true, true),
      graphOf(sample, LOSSES.MSELoss, false, false),
    ]),
  );
  const kept = new Set(['input', 'parameter', 'buffer', 'target', 'mask', 'seed', 'loss']);
  return new Set(
    [...graphs, ...CUT.map(cutGraph), inHalf()].flatMap((graph) => {
      const named = graph.values.filter(
        ({ name, role }) => kept.has(role) || /^\d+\.(\w+\.)*(weight|bias)\.grad$/.test(name),
      );
      const fused = fuse(graph, new Set(named.map(({ id }) => id)));
      return [...graph.nodes, ...fused.nodes].map(({ op }) => op);
    }),
  );
}

/**
 * The plain product is what adapters are measured by; the next two are the rows of a table that makes operators in
 * pairs; the last are what parallel/emit-halves puts around the operators of a graph.
 */
const BESIDE = [
  ...['ops/matmul', 'ops/add-grad', 'ops/mul-grad'],
  ...['precision/round', 'precision/pack', 'precision/unpack'],
];

test('every operator that ships is made by a layer, a loss, a fusion or a cut', () => {
  const reached = made();
  expect([...OPS.keys()].filter((name) => !reached.has(name) && !BESIDE.includes(name))).toEqual([]);
  expect(ALL_OPS.size).toBeGreaterThan(OPS.size + 30);
});

const SIZES: readonly Sizes[] = [
  [1, 1, 1],
  [3, 5, 7],
  [13, 8, 31],
  [16, 32, 16],
];

/** What is wrong with a launch beside the kernels that ship: a pipeline takes no constant that its kernel lacks. */
function faultsOf({ kernel, constants = {} }: Launch, shaders: Readonly<Record<string, string>>): readonly string[] {
  const source = shaders[kernel];
  if (source === undefined) return [kernel];
  const missing = Object.keys(constants).filter((name) => !source.includes(`override ${name}:`));
  return missing.map((name) => `override ${name} of ${kernel}`);
}

test.each(TUNINGS)('every kernel that a shipped operator runs on %s ships', async (_, tuning) => {
  const shaders = await shadersFor(OPS.keys());
  const missing = Object.values(CASES).flatMap((make) =>
    SIZES.flatMap((sizes) => {
      const { op, attrs, inputs } = make(sizes, randomSource(1));
      const { graph } = differentiate(ALL_OPS, op, attrs, inputs);
      const typeOf = (id: number) => at(graph.values, id).type;
      return graph.nodes.flatMap((node) => {
        const [inputTypes, outputs] = [node.inputs.map(typeOf), node.outputs.map(typeOf)];
        const shipped = OPS.get(node.op);
        return (shipped ? lowerFor(shipped, { inputs: inputTypes, outputs, attrs: node.attrs }, tuning) : [])
          .flatMap((launch) => faultsOf(launch, shaders))
          .map((fault) => `${fault}, for ${node.op}`);
      });
    }),
  );
  expect([...new Set(missing)]).toEqual([]);
});
