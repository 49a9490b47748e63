/**
 * The same collectives as torch's: fixtures/torch-collectives.json was recorded by CommDebugMode under
 * parallelize_module (torch 2.13, gloo). Of each plan the graphs of forward and backward have the same collectives of
 * the same sizes in the same order, and the parameters the same placements and local shapes.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import { parseConfig } from '../../config/parse-config';
import { gptLayers, mlpLayers } from '../../protocol/presets';
import { elements } from '../../tensor/shape';
import { type Graph, GraphBuilder } from '../graph';
import { ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER } from '../ops/collective';
import { ALL_OPS } from '../testing/all-ops';
import { partition } from './partition';
import { planOf } from './styles';
import { stylesOf } from './testing/torch-plans';
import { buildNet, differentiated, type Net } from './testing/whole-and-parts';

type Logged = readonly [op: string, elementsIn: number, elementsOut: number, reduceOp?: string];

interface TorchRun {
  readonly net: 'mlp784' | 'gpt';
  readonly world: number;
  readonly plan: Readonly<Record<string, string>>;
  readonly lossParallel: boolean;
  readonly forward: readonly Logged[];
  readonly backward: readonly Logged[];
  readonly optimizer: readonly Logged[];
  /** A text: 'plain tensor', on every rank the whole. */
  readonly placements: Readonly<Record<string, string | readonly string[]>>;
  readonly gradPlacements: Readonly<Record<string, string | readonly string[]>>;
  readonly localShapes: Readonly<Record<string, readonly (readonly number[])[]>>;
}

const { runs } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'fixtures', 'torch-collectives.json'), 'utf8'),
) as { readonly runs: readonly TorchRun[] };

const NETS: Readonly<Record<TorchRun['net'], Net>> = {
  mlp784: {
    layers: parseConfig({ model: { layers: mlpLayers([784, 128, 10], 'ReLU') } }).model.layers,
    input: { shape: [64, 784], dtype: 'f32' },
    target: { shape: [64], dtype: 'i32' },
    loss: { type: 'CrossEntropyLoss', reduction: 'mean' },
    below: 10,
  },
  gpt: {
    layers: parseConfig({ model: { layers: gptLayers({ vocab: 40, context: 16, width: 32, heads: 4, layers: 2 }) } })
      .model.layers,
    input: { shape: [8, 16], dtype: 'i32' },
    target: { shape: [8, 16], dtype: 'i32' },
    loss: { type: 'CrossEntropyLoss', reduction: 'mean' },
    below: 40,
  },
};

/** The name that the recorded net gives a module of ours. */
const ours = (name: string): string => name.replace(/^lnf/, 'ln_f');

const OPS: Readonly<Record<string, string>> = {
  [ALL_REDUCE]: 'all_reduce',
  [ALL_GATHER]: 'all_gather',
  [REDUCE_SCATTER]: 'reduce_scatter',
};

function collectivesOf({ nodes, values }: Graph, phases: readonly string[]): readonly Logged[] {
  const size = (id: number) => elements(at(values, id).type.shape);
  return nodes.flatMap(({ op, inputs, outputs, attrs, phase }): readonly Logged[] => {
    const name = lookup(OPS, op);
    if (name === undefined || !phases.includes(phase)) return [];
    const sizes = [size(at(inputs, 0)), size(at(outputs, 0))] as const;
    return name === 'all_gather' ? [[name, ...sizes]] : [[name, ...sizes, attrs.reduceOp === 'max' ? 'max' : 'sum']];
  });
}

const words = (placement: { readonly kind: string; readonly dim?: number } | undefined): string =>
  placement?.kind === 'shard' ? `S(${placement.dim})` : 'R';

describe.each(runs.map((run) => [`${run.net}, tp ${run.world}, ${JSON.stringify(run.plan)}`, run] as const))(
  '%s',
  (_, run) => {
    const net = NETS[run.net];
    const styles = stylesOf(run.plan, ours);
    const { plan, unmatched } = planOf({ axis: 'tp', styles, lossParallel: run.lossParallel }, net.layers);
    const ranks = Array.from({ length: run.world }, (__, index) => {
      const whole = buildNet(net);
      const builder = new GraphBuilder(ALL_OPS);
      const made = partition(whole.builder.finish(), builder, { plan, rank: { index, count: run.world } });
      const parameters = whole.parameters.map(made.own);
      differentiated({ builder, loss: made.own(whole.loss), parameters });
      return { graph: builder.finish(), made };
    });

    test('the collectives are torch’s, on every rank', () => {
      expect(unmatched).toEqual([]);
      for (const { graph } of ranks) {
        expect(collectivesOf(graph, ['forward', 'loss'])).toEqual(run.forward);
        expect(collectivesOf(graph, ['backward'])).toEqual(run.backward);
      }
      expect(at(ranks, 0).made.gathered).toEqual([]);
    });

    test('placements and local shapes of parameters are torch’s', () => {
      for (const [theirs, placements] of Object.entries(run.placements)) {
        const name = ours(theirs);
        const [placement] = typeof placements === 'string' ? ['R'] : placements;
        expect([name, words(plan.tensors.get(name))]).toEqual([name, placement]);
        const shapes = ranks.map(({ graph }) => {
          const value = graph.values.find((v) => v.name === name && v.role === 'parameter');
          return must(value, name).type.shape;
        });
        expect([name, shapes]).toEqual([name, must(lookup(run.localShapes, theirs), theirs)]);
      }
    });

    test('gradients that stay sums over the ranks are those of torch', () => {
      const theirs = Object.entries(run.gradPlacements).flatMap(([name, placements]) =>
        placements[0] === 'P(sum)' ? [ours(name)] : [],
      );
      expect([...at(ranks, 0).made.partialGradients].sort()).toEqual(theirs.sort());
    });
  },
);
