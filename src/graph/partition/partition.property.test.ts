/**
 * Random plans over random nets: the ranks' graphs, run side by side and put together, give what the whole graph gives,
 * every activation, the loss and every gradient.
 *
 * @module-tag rest: tensor-pair.test.ts and tensor-mesh.test.ts train nets that are cut by plans of their own.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { LayerConfig, LossConfig } from '../../protocol/config';
import { pieceOf, pieceShape } from '../../sharding/piece';
import { type Placement, REPLICATE, shard } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';
import { randomSource } from '../testing/case-tools';
import type { Plan } from './plan';
import { buildNet, type Net, runBoth } from './testing/whole-and-parts';

const layersOf = (layers: readonly unknown[]): readonly LayerConfig[] =>
  parseConfig({ model: { layers: layers as never } }).model.layers;

const MSE: LossConfig = { type: 'MSELoss', reduction: 'mean' };
const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;

const width = fc.integer({ min: 3, max: 8 });
const activation = fc.constantFrom('ReLU', 'Tanh', 'Sigmoid', 'GELU', 'SiLU');

const perceptron: fc.Arbitrary<Net> = fc
  .record({ rows: width, sizes: fc.array(width, { minLength: 2, maxLength: 4 }), activation, dropout: fc.boolean() })
  .map(({ rows, sizes, activation: type, dropout }) => ({
    layers: layersOf(
      sizes
        .slice(1)
        .flatMap((out, i) => [
          { type: 'Linear', in: at(sizes, i), out },
          { type },
          ...(dropout ? [{ type: 'Dropout', p: 0.3 }] : []),
        ]),
    ),
    input: f32(rows, at(sizes, 0)),
    target: f32(rows, at(sizes, sizes.length - 1)),
    loss: MSE,
    below: 1,
  }));

const transformer: fc.Arbitrary<Net> = fc
  .record({
    rows: fc.integer({ min: 2, max: 4 }),
    length: fc.integer({ min: 3, max: 6 }),
    vocab: width,
    perHead: fc.integer({ min: 1, max: 2 }),
    heads: fc.constant(6),
    dropout: fc.constantFrom(0, 0.3),
    lossParallel: fc.boolean(),
  })
  .map(({ rows, length, vocab, perHead, heads, dropout, lossParallel }) => {
    const size = perHead * heads;
    return {
      layers: layersOf([
        { type: 'TokenEmbedding', vocab, context: length, width: size, name: 'emb' },
        { type: 'TransformerBlock', width: size, heads, dropout, name: 'block' },
        { type: 'LayerNorm', features: size, name: 'ln' },
        { type: 'Linear', in: size, out: vocab, name: 'head' },
      ]),
      input: { shape: [rows, length], dtype: 'i32' },
      target: { shape: [rows, length], dtype: 'i32' },
      loss: { type: 'CrossEntropyLoss', reduction: 'mean', ...(lossParallel ? { ignoreIndex: 1 } : {}) },
      below: vocab,
      lossParallel,
    };
  });

const convolutions: fc.Arbitrary<Net> = fc
  .record({ rows: width, channels: width, more: width, norm: fc.constantFrom('BatchNorm2d', 'GroupNorm', 'none') })
  .map(({ rows, channels, more, norm }) => ({
    layers: layersOf([
      { type: 'Conv2d', in: 2, out: channels, kernel: 3, padding: 1 },
      ...(norm === 'none'
        ? []
        : [norm === 'GroupNorm' ? { type: norm, groups: 1, channels } : { type: norm, features: channels }]),
      { type: 'ReLU' },
      { type: 'MaxPool2d', kernel: 2 },
      { type: 'Conv2d', in: channels, out: more, kernel: 2 },
      { type: 'Flatten' },
      { type: 'Linear', in: more, out: 3 },
    ]),
    input: f32(rows, 2, 4, 4),
    target: f32(rows, 3),
    loss: MSE,
    below: 1,
  }));

/** A cut that leaves nobody without a part, or none. */
function drawPlacement(shape: Shape, count: number, random: () => number): Placement {
  const dims = shape.flatMap((_, dim) => {
    const last = pieceShape(pieceOf(shape, [{ placement: shard(dim), index: count - 1, count }]));
    return at(last, dim) > 0 ? [dim] : [];
  });
  const dim = dims[Math.floor(random() * (dims.length + 1))];
  return dim === undefined ? REPLICATE : shard(dim);
}

/** Of the layers' own tensors and of half of their results. Running statistics are cut with their weight. */
function drawPlan(net: Net, count: number, random: () => number): Plan {
  const { values } = buildNet(net).builder.finish();
  const tensors = new Map<string, Placement>();
  const results = new Map<string, Placement>();
  for (const { name, type, role } of values) {
    if (role === 'parameter') tensors.set(name, drawPlacement(type.shape, count, random));
    if (role === 'activation' && name.endsWith('out') && random() < 0.5)
      results.set(name, drawPlacement(type.shape, count, random));
  }
  for (const { name, role, type } of values) {
    const weight = tensors.get(name.replace(/running_\w+$/, 'weight'));
    if (role === 'buffer' && type.dtype === 'f32' && weight) tensors.set(name, weight);
  }
  return { axis: 'tp', tensors, inputs: new Map(), values: results, lossParallel: net.lossParallel === true };
}

const scaleOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((most, v) => Math.max(most, Math.abs(v)), 1e-3);

function expectTheWhole(net: Net, plan: Plan, count: number, random: () => number): void {
  const { compared } = runBoth(net, plan, count, random);
  const gradients = compared.filter(({ name }) => name.endsWith('.grad'));
  // A gradient that is 0 but for rounding (a bias before a batch norm) is as good as the sums it is made of.
  const largest = Math.max(...gradients.map(({ whole }) => scaleOf(whole)));
  for (const { name, whole, merged } of compared) {
    expect(merged.length, name).toBe(whole.length);
    const apart = Array.from(whole, (v, i) => Math.abs(v - at(merged, i)));
    const scale = name.endsWith('.grad') ? largest : scaleOf(whole);
    expect(Math.max(...apart) / scale, name).toBeLessThan(1e-5);
  }
}

describe.each([
  ['perceptrons', perceptron],
  ['transformers', transformer],
  ['convolutions', convolutions],
] as const)('%s', (_, nets) => {
  test('random plans give the results of the whole net', () => {
    void fc.assert(
      fc.property(nets, fc.constantFrom(2, 3), fc.integer({ min: 1, max: 1e9 }), (net, count, seed) => {
        const random = randomSource(seed);
        expectTheWhole(net, drawPlan(net, count, random), count, random);
      }),
      { numRuns: 60 },
    );
  });
});
