/**
 * Builds a net's forward graph and loss, differentiates it whole and cut by a plan, runs both on the same numbers, and
 * hands out what can be compared: every value of the whole graph beside the one put together from the ranks' parts. For
 * tests.
 */
import { at, must } from '../../../base/invariant';
import { buildLoss } from '../../../nn/losses';
import { buildForward, initialBuffers } from '../../../nn/model';
import type { LayerConfig, LossConfig } from '../../../protocol/config';
import { pieceOf } from '../../../sharding/piece';
import { PARTIAL, type Placement, REPLICATE } from '../../../sharding/placement';
import { merge, slice } from '../../../sharding/slice';
import { elements, type HostArray } from '../../../tensor/shape';
import { type Graph, GraphBuilder, type GraphValue } from '../../graph';
import type { TensorType, ValueId } from '../../op';
import { ALL_OPS } from '../../testing/all-ops';
import { runCpu } from '../../testing/run-cpu';
import { partition } from '../partition';
import type { Partitioned } from '../partitioned';
import type { Plan } from '../plan';
import { runSideBySide } from './side-by-side';

export interface Net {
  readonly layers: readonly LayerConfig[];
  readonly input: TensorType;
  readonly target: TensorType;
  readonly loss: LossConfig;
  /** int32 inputs and targets are below this. */
  readonly below: number;
  readonly lossParallel?: boolean;
}

export interface Compared {
  readonly name: string;
  readonly whole: HostArray;
  readonly merged: HostArray;
}

export interface BothRuns {
  readonly compared: readonly Compared[];
  readonly ranks: readonly { readonly graph: Graph; readonly partitioned: Partitioned }[];
}

interface Built {
  readonly builder: GraphBuilder;
  readonly loss: ValueId;
  readonly parameters: readonly ValueId[];
}

/** The forward graph of whole tensors, with the loss. */
export function buildNet({ layers, input, target, loss }: Net): Built {
  const builder = new GraphBuilder(ALL_OPS);
  const x = builder.value('x', input, 'input');
  const forward = buildForward(builder, layers, x);
  const y = builder.value('y', target, 'target');
  return {
    builder,
    loss: buildLoss(builder, loss, forward.output, y),
    parameters: forward.parameters.map(({ value }) => value),
  };
}

/** Appends the backward nodes; gradients by the index of the parameter. */
export function differentiated({ builder, loss, parameters }: Built) {
  const seed = builder.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed');
  const gradients = builder.backward(new Map([[loss, seed]]), parameters);
  return parameters.map((id) => gradients.get(id));
}

export function runBoth(net: Net, plan: Plan, count: number, random: () => number): BothRuns {
  const whole = buildNet(net);
  const forward = whole.builder.finish();
  const wholeGradients = differentiated(whole);
  const given = new Map<ValueId, HostArray>();
  const graph = whole.builder.finish();
  for (const value of undrawn(graph)) given.set(value.id, numbersOf(value, net, random));
  // In place of what the runs overwrite.
  const drawn = new Map([...given].map(([id, data]) => [id, data.slice()]));
  const expected = runCpu(graph, ALL_OPS, given);

  const ranks = Array.from({ length: count }, (_, index) => {
    const builder = new GraphBuilder(ALL_OPS);
    const partitioned = partition(forward, builder, { plan, rank: { index, count } });
    const parameters = whole.parameters.map(partitioned.own);
    const gradients = differentiated({ builder, loss: partitioned.own(whole.loss), parameters });
    return { graph: builder.finish(), partitioned, gradients };
  });
  const placementOf = ({ name, role }: GraphValue): Placement => {
    if (role === 'parameter' || role === 'buffer') return plan.tensors.get(name) ?? REPLICATE;
    return at(ranks, 0).partitioned.placements.get(name) ?? REPLICATE;
  };
  const held = ranks.map(({ graph: own }, index) => {
    const byName = new Map(graph.values.map((value) => [value.name, value]));
    return new Map(
      undrawn(own).map((value): [ValueId, HostArray] => {
        const of = must(byName.get(value.name), value.name);
        const cuts = [{ placement: placementOf(of), index, count }];
        const data = must(drawn.get(of.id), value.name);
        return [value.id, slice(data, of.type.shape, pieceOf(of.type.shape, cuts)).slice()];
      }),
    );
  });
  runSideBySide(
    ranks.map((rank) => rank.graph),
    ALL_OPS,
    held,
  );

  const mergedOf = (type: TensorType, placement: Placement, idOn: (r: number) => ValueId): HostArray => {
    const parts = held.map((values, index) => ({
      piece: pieceOf(type.shape, [{ placement, index, count }]),
      data: must(values.get(idOn(index)), 'value'),
    }));
    return merge(type.shape, parts);
  };
  const outputs = forward.nodes.flatMap((node) => node.outputs);
  const activations = [...new Set(outputs)].flatMap((id): readonly Compared[] => {
    const { name, type } = at(forward.values, id);
    const placement = at(ranks, 0).partitioned.placements.get(name);
    if (placement === undefined) return [];
    const merged = mergedOf(type, placement, (r) => at(ranks, r).partitioned.own(id));
    return [{ name, whole: must(expected.get(id), name), merged }];
  });
  const gradients = whole.parameters.map((id, k): Compared => {
    const value = at(forward.values, id);
    const partial = at(ranks, 0).partitioned.partialGradients.has(value.name);
    return {
      name: `${value.name}.grad`,
      whole: must(expected.get(must(wholeGradients[k], value.name)), value.name),
      merged: mergedOf(value.type, partial ? PARTIAL : placementOf(value), (r) =>
        must(at(ranks, r).gradients[k], value.name),
      ),
    };
  });
  return { compared: [...activations, ...gradients], ranks };
}

function undrawn({ values, nodes }: Graph): readonly GraphValue[] {
  const made = new Set(nodes.flatMap(({ outputs }) => outputs));
  return values.filter(({ id, role }) => role === 'buffer' || !made.has(id));
}

function numbersOf({ name, type, role }: GraphValue, net: Net, random: () => number): HostArray {
  const length = elements(type.shape);
  if (role === 'seed') return Float32Array.of(1);
  if (role === 'buffer') {
    const initial = initialBuffers(net.layers, net.loss).find((buffer) => buffer.name === name);
    return must(initial, name).data.slice();
  }
  if (role === 'mask') return Float32Array.from({ length }, () => (random() < 0.3 ? 0 : 1 / 0.7));
  if (type.dtype === 'i32') return Int32Array.from({ length }, () => Math.floor(random() * net.below));
  return Float32Array.from({ length }, () => random() * 2 - 1);
}
