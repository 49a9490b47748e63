/**
 * Emitters that synchronous and asynchronous parameter-server training share: declare the buffers of server and
 * workers, pull, work, push.
 */
import { LOSS_WEIGHTS } from '../../nn/losses';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import { declareState, declareValues, emitLoad, emitMasks, emitNode } from '../emit';
import type { HalfValues } from '../emit-halves';
import type { StageGraph } from '../stage-graph';

/** A worker in a step. */
export interface Worker {
  readonly lane: LaneBuilder;
  readonly stage: StageGraph;
  /** Keeps the worker's tensors in half precision; undefined: the layers compute in float32. */
  readonly halves: HalfValues | undefined;
  /** First of the worker's rows in the batch. */
  readonly start: number;
  readonly count: number;
}

/** Parameters, and buffers that training changes. */
export const keptNames = ({ graph }: StageGraph): readonly string[] =>
  graph.values.flatMap(({ name, role }) =>
    role === 'parameter' || (role === 'buffer' && name !== LOSS_WEIGHTS) ? [name] : [],
  );

const bufferNames = ({ graph }: StageGraph): readonly string[] =>
  graph.values.flatMap(({ name, role }) => (role === 'buffer' && name !== LOSS_WEIGHTS ? [name] : []));

/**
 * The worker's loss is weighted by `share`, as after tf.nn.compute_average_loss with the global batch size. Each share
 * has its own buffer for the gradient from which backward starts.
 */
export function weighted(stage: StageGraph, share: number): StageGraph {
  if (share === 1) return stage;
  const values = stage.graph.values.map((v) => (v.role === 'seed' ? { ...v, name: `${v.name} ${share}` } : v));
  return { ...stage, graph: { ...stage.graph, values }, lossGradient: stage.lossGradient * share };
}

/** Declares the server's parameters, buffers and gradients; the server has no activations. */
export function declareServer(lane: LaneBuilder, stage: StageGraph): void {
  declareState(lane, stage);
  for (const { name, gradient } of stage.parameters) {
    const { shape } = lane.spec(name);
    lane.buffer({ name: gradient, shape, dtype: 'f32', category: 'gradient', persistent: true, pool: 'gradients' });
  }
}

const PULL: Where = { phase: 'replicate', anchor: 'pull', queue: 'comm' };
const PUSH: Where = { phase: 'reduce', anchor: 'push', queue: 'comm' };

/**
 * Sends the server's current state to the worker, after the work that is already on the server's compute queue. `to`
 * names the worker's buffers.
 */
export function pull(
  builder: ProgramBuilder,
  { lane }: Pick<Worker, 'lane'>,
  names: readonly string[],
  to: (name: string) => string = (name) => name,
): void {
  const server = builder.lane(0);
  server.handOver('compute', 'comm', PULL);
  for (const name of names) {
    builder.transfer(
      { device: 0, slice: server.whole(name), where: PULL },
      { device: lane.device, slice: lane.whole(to(name)), where: PULL },
      { name: `${to(name)}.pull`, payload: 'parameter' },
    );
  }
}

/** Emits `fetch`, then forward and backward of the worker. */
export function emitWorker({ lane, stage, start, count, halves }: Worker, fetch?: () => void): void {
  declareValues(lane, stage);
  emitLoad(lane, { buffer: 'x', source: 'inputs', start, count });
  emitLoad(lane, { buffer: 'y', source: 'targets', start, count });
  emitMasks(lane, stage);
  fetch?.();
  lane.handOver('comm', 'compute', { phase: 'forward', anchor: 'forward' });
  for (const node of stage.graph.nodes) emitNode(lane, stage, node, undefined, halves);
}

/**
 * Sends the worker's running statistics and its gradients to the server, which replaces its own gradients or adds to
 * them.
 */
export function push(
  builder: ProgramBuilder,
  { lane, stage }: Worker,
  { sum, buffers }: { readonly sum: boolean; readonly buffers: boolean },
): void {
  const server = builder.lane(0);
  lane.handOver('compute', 'comm', PUSH);
  for (const { gradient } of stage.parameters) {
    builder.transfer(
      { device: lane.device, slice: lane.whole(gradient), where: PUSH },
      { device: 0, slice: server.whole(gradient), where: PUSH },
      { name: `${gradient}.push`, payload: 'gradient', apply: sum ? 'add' : 'put' },
    );
  }
  for (const name of buffers ? bufferNames(stage) : []) {
    builder.transfer(
      { device: lane.device, slice: lane.whole(name), where: PUSH },
      { device: 0, slice: server.whole(name), where: PUSH },
      { name: `${name}.push`, payload: 'parameter' },
    );
  }
}
