/**
 * SyncBatchNorm alone as a Program of several ranks, forward and backward from a given gradient, and the cases of
 * fixtures/syncbn.json that it is held against.
 */

import * as v from 'valibot';
import { at, must } from '../../base/invariant';
import { GraphBuilder } from '../../graph/graph';
import { isCollective } from '../../graph/ops/collective';
import { initDeviceMesh } from '../../mesh/device-mesh';
import { buildForward } from '../../nn/model';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import { configSchema } from '../../protocol/config';
import { ALONE, programKey } from '../../protocol/step-kind';
import type { Executor, Feed } from '../../runtime/executor';
import { decodeF32, type StoredTensor } from '../../tensor/fixtures/decode';
import syncbn from '../fixtures/syncbn.json';
import { PROGRAM_OPS } from '../modes';
import { Arrivals } from '../step/arrivals';
import { emitCollective } from '../step/graph-collectives';

export interface SyncCase {
  readonly sizes: readonly number[];
  readonly eps: number;
  readonly momentum: number;
  readonly weight: StoredTensor;
  readonly bias: StoredTensor;
  readonly x_per_rank: readonly StoredTensor[];
  readonly grad_out_per_rank: readonly StoredTensor[];
  readonly y_per_rank: readonly StoredTensor[];
  readonly grad_x_per_rank: readonly StoredTensor[];
  readonly running_mean_after: StoredTensor;
  readonly running_var_after: StoredTensor;
  readonly grad_weight_local_per_rank: readonly StoredTensor[];
  readonly grad_bias_local_per_rank: readonly StoredTensor[];
}

export const SYNC_CASES = syncbn.cases as readonly SyncCase[];

/** Every rank loads x and the gradient of y. */
export function syncProgram({ sizes, eps, momentum, x_per_rank }: SyncCase): Program {
  const config = v.parse(configSchema, { mode: 'ddp', worldSize: sizes.length });
  const ranks = sizes.map((_, rank) => rank);
  const builder = new ProgramBuilder(initDeviceMesh({ dpReplicate: ranks.length }), PROGRAM_OPS);
  const synced = { ranks: sizes.length, rows: sizes.reduce((a, b) => a + b, 0) };
  const graphs = ranks.map((rank) => {
    const graph = new GraphBuilder(PROGRAM_OPS);
    const { shape } = at(x_per_rank, rank);
    const type = shape.length > 2 ? ('BatchNorm2d' as const) : ('BatchNorm1d' as const);
    const layers = [{ type, features: shape[1] ?? 1, eps, momentum, affine: true }];
    const x = graph.value('x', { shape: [...shape], dtype: 'f32' }, 'input');
    const { output, parameters } = buildForward(graph, layers, x, { synced });
    const dy = graph.value('dy', graph.typeOf(output), 'gradient');
    graph.backward(new Map([[output, dy]]), [x, ...parameters.map((p) => p.value)]);
    return graph.finish();
  });
  const lanes = builder.lanes.map((lane) => ({ lane, graph: at(graphs, lane.rank) }));
  for (const { lane, graph } of lanes) {
    for (const { name, type } of graph.values) lane.buffer({ name, ...type, category: 'activation', persistent: true });
    for (const buffer of ['x', 'dy'])
      lane.load({ buffer, source: 'inputs', start: 0, count: 0 }, { phase: 'data', anchor: 'x' });
  }
  const arrivals = new Arrivals();
  const [first] = graphs;
  const name = (id: number) => at(must(first, 'a graph').values, id).name;
  must(first, 'a graph').nodes.forEach((node, k) => {
    if (isCollective(node)) {
      const [input, output] = [name(at(node.inputs, 0)), name(at(node.outputs, 0))];
      const { algorithm } = config.ddp;
      const payload = node.phase === 'backward' ? 'gradient' : 'activation';
      const call = {
        builder,
        algorithm,
        lanes: builder.lanes,
        replicaGroups: [builder.mesh.world],
        node,
        input,
        output,
      };
      emitCollective({ ...call, payload, arrivals });
      for (const { lane } of lanes) arrivals.await(lane);
      return;
    }
    for (const { lane, graph } of lanes) {
      const own = at(graph.nodes, k);
      const names = (ids: readonly number[]) => ids.map((id) => at(graph.values, id).name);
      lane.compute(own.op, names(own.inputs), names(own.outputs), own.attrs, { phase: node.phase, anchor: node.phase });
    }
  });
  return builder.finish('ddp');
}

/** The furthest that anything is from what it should be, over all ranks: `x 0.000012` where it is too far. */
export async function syncFailures(test: SyncCase, executors: readonly Executor[]): Promise<readonly string[]> {
  const on = (device: number): Executor => executors[device] ?? at(executors, 0);
  const expected = (rank: number): Readonly<Record<string, StoredTensor>> => ({
    '0.out': at(test.y_per_rank, rank),
    'x.grad': at(test.grad_x_per_rank, rank),
    '0.weight.grad': at(test.grad_weight_local_per_rank, rank),
    '0.bias.grad': at(test.grad_bias_local_per_rank, rank),
    '0.running_mean': test.running_mean_after,
    '0.running_var': test.running_var_after,
  });
  const ranks = test.sizes.map((_, rank) => rank);
  for (const rank of ranks) {
    on(rank).write(rank, '0.weight', decodeF32(test.weight));
    on(rank).write(rank, '0.bias', decodeF32(test.bias));
    on(rank).write(rank, '0.running_mean', new Float32Array(test.weight.shape[0] ?? 0));
    on(rank).write(rank, '0.running_var', new Float32Array(test.weight.shape[0] ?? 0).fill(1));
  }
  const feed: Feed = (load, device) =>
    decodeF32(at(load.buffer === 'x' ? test.x_per_rank : test.grad_out_per_rank, device));
  await Promise.all(executors.map((executor) => executor.step(programKey(ALONE), feed)));
  const failures: string[] = [];
  for (const rank of ranks) {
    for (const [buffer, stored] of Object.entries(expected(rank))) {
      const [actual] = await on(rank).read([{ device: rank, buffer }]);
      const apart = decodeF32(stored).reduce((most, want, i) => Math.max(most, Math.abs(want - (actual?.[i] ?? 9))), 0);
      if (!(apart < 1e-5)) failures.push(`rank ${rank} ${buffer}: ${apart}`);
    }
  }
  return failures;
}
