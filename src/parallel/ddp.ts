/**
 * DistributedDataParallel: a process a device, each with a full replica and its own part of the batch. When the last gradient of a
 * bucket is ready, its all-reduce starts on the communication queue and overlaps with the rest of backward; gradients are divided by
 * the world size as they are copied into the bucket, then summed. Buckets launch in the order 0, 1, 2 ... Source: torch/csrc/distributed/c10d/reducer.cpp,
 * torch/nn/parallel/distributed.py.
 */
import { at, must } from '../base/invariant';
import type { AllReduce } from '../collectives/all-reduce';
import { naive } from '../collectives/naive';
import { ring } from '../collectives/ring';
import { CLASS_WEIGHTS } from '../nn/losses';
import { parameterList } from '../nn/model';
import { ProgramBuilder, type Where } from '../program/builder';
import type { Config } from '../protocol/config';
import { elements } from '../tensor/shape';
import { assignBuckets, bucketLimits } from './buckets';
import { declareValues, emitLoad, emitMasks, emitNode } from './emit';
import { emitOptimizer } from './emit-optimizer';
import { nodesOf, type ParameterRef, type StageGraph, stageGraph } from './stage-graph';
import type { Strategy } from './strategy';

const ALGORITHMS: Readonly<Record<Config['ddp']['algorithm'], AllReduce>> = { ring, naive };
const REDUCE: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };

/** Parameters in the order in which backward makes their gradients; within a module the bias before the weight, as autograd does. */
export function readyOrder(stage: StageGraph): readonly ParameterRef[] {
  const byGradient = new Map(stage.parameters.map((p) => [p.fresh, p]));
  return nodesOf(stage, 'backward').flatMap((node) =>
    [...node.outputs].reverse().flatMap((id) => {
      const parameter = byGradient.get(at(stage.graph.values, id).name);
      return parameter ? [parameter] : [];
    }),
  );
}

/** Buckets of a step: one in registration order in iteration 0, then rebuilt in ready order under the caps. */
export function bucketsOf(stage: StageGraph, config: Config, first: boolean): readonly (readonly ParameterRef[])[] {
  if (first) return [stage.parameters];
  const order = readyOrder(stage);
  const byName = new Map(stage.graph.values.map((v) => [v.name, v]));
  const bytes = order.map((p) => 4 * elements(must(byName.get(p.name), p.name).type.shape));
  return assignBuckets(bytes, bucketLimits(config.ddp)).map((indices) => indices.map((i) => at(order, i)));
}

export const ddp: Strategy = {
  firstStepDiffers: true,
  mesh: ({ worldSize }) => ({ ranks: Array.from({ length: worldSize }, (_, r) => r), processes: worldSize }),
  layersOfDevice: (config) => Array.from({ length: config.worldSize }, () => config.model.layers.map((_, i) => i)),
  slices: (config, rows) => Array.from({ length: config.worldSize }, () => [0, rows] as const),

  compile(input, variant, rows) {
    const { config } = input;
    const world = config.worldSize;
    const group = Array.from({ length: world }, (_, r) => r);
    const builder = new ProgramBuilder(group, input.ops);
    const stage = stageGraph(input, { rows, withLoss: true, gradients: variant.gradients });
    for (const lane of builder.lanes) declareValues(lane, stage);
    for (const lane of builder.lanes) {
      emitLoad(lane, 'x', 'inputs', lane.rank, 0, rows);
      emitLoad(lane, 'y', 'targets', lane.rank, 0, rows);
      emitMasks(lane, stage);
    }
    // Only after a forward that was followed by a reduction: the first micro-batch of a group.
    if (variant.gradients === 'set') broadcastBuffers(builder, stage);
    if (!variant.steps) {
      for (const node of stage.graph.nodes) for (const lane of builder.lanes) emitNode(lane, stage, node);
      return builder.finish('ddp', variant.name);
    }
    const buckets = bucketsOf(stage, config, variant.first);
    const pending = buckets.map((bucket) => new Set(bucket.map((p) => p.fresh)));
    let launched = 0;
    const launchReady = () => {
      while (launched < buckets.length && pending[launched]?.size === 0) {
        packBucket(builder, at(buckets, launched), launched, 1 / world);
        if (config.ddp.overlap) reduceBucket(builder, config, launched);
        launched++;
      }
    };
    for (const node of stage.graph.nodes) {
      for (const lane of builder.lanes) emitNode(lane, stage, node);
      for (const id of node.outputs) for (const set of pending) set.delete(at(stage.graph.values, id).name);
      if (node.phase === 'backward') launchReady();
    }
    if (!config.ddp.overlap) for (const b of buckets.keys()) reduceBucket(builder, config, b);
    // finalize_backward: wait for each bucket in order, copy the averages back into .grad.
    buckets.forEach((bucket, b) => {
      for (const lane of builder.lanes) {
        lane.wait(`bucket${b}.done`, { phase: 'reduce', anchor: 'backward', bucket: b });
        lane.compute(
          'ddp/unpack',
          [`bucket${b}`],
          bucket.map((p) => p.gradient),
          {},
          { phase: 'reduce', anchor: 'backward', bucket: b },
        );
      }
    });
    for (const lane of builder.lanes) emitOptimizer(lane, input, stage.parameters);
    return builder.finish('ddp', variant.name);
  },

  /** DistributedDataParallel(model): rank 0's parameters are broadcast, whatever the others drew. */
  construct(input) {
    const { worldSize, model } = input.config;
    if (worldSize === 1) return undefined;
    const builder = new ProgramBuilder(
      Array.from({ length: worldSize }, (_, r) => r),
      input.ops,
    );
    const parameters = parameterList(model.layers);
    for (const { name, shape } of parameters) {
      for (const lane of builder.lanes)
        lane.buffer({ name, shape, dtype: 'f32', category: 'parameter', persistent: true, pool: 'parameters' });
    }
    broadcast(
      builder,
      parameters.map((p) => p.name),
      { phase: 'broadcast', anchor: 'broadcast', queue: 'comm' },
    );
    return builder.finish('ddp', 'construct');
  },
};

/** Rank 0's tensors overwrite those of the others. */
function broadcast(builder: ProgramBuilder, names: readonly string[], where: Where): void {
  names.forEach((name, seq) => {
    for (const lane of builder.lanes.slice(1)) {
      builder.transfer(
        { device: 0, slice: builder.lane(0).whole(name), where },
        { device: lane.device, slice: lane.whole(name), where },
        { name: `${name}.broadcast`, payload: 'parameter', collective: { seq, op: 'broadcast', algorithm: 'direct' } },
      );
    }
  });
}

/** _sync_buffers: before the forward pass every rank takes rank 0's running statistics. */
function broadcastBuffers(builder: ProgramBuilder, stage: StageGraph): void {
  const names = stage.graph.values.flatMap((v) => (v.role === 'buffer' && v.name !== CLASS_WEIGHTS ? [v.name] : []));
  if (names.length === 0) return;
  broadcast(builder, names, { phase: 'broadcast', anchor: 'forward', queue: 'comm' });
  for (const lane of builder.lanes) lane.handOver('comm', 'compute', { phase: 'broadcast', anchor: 'forward' });
}

function packBucket(builder: ProgramBuilder, bucket: readonly ParameterRef[], index: number, scale: number): void {
  for (const lane of builder.lanes) {
    const length = bucket.reduce((n, p) => n + elements(lane.spec(p.gradient).shape), 0);
    lane.buffer({ name: `bucket${index}`, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
    lane.compute(
      'ddp/pack',
      bucket.map((p) => p.gradient),
      [`bucket${index}`],
      { scale },
      {
        phase: 'backward',
        anchor: 'backward',
        bucket: index,
        signals: `bucket${index}.ready`,
      },
    );
  }
}

function reduceBucket(builder: ProgramBuilder, config: Config, bucket: number): void {
  const buffer = `bucket${bucket}`;
  const where = { ...REDUCE, bucket };
  for (const lane of builder.lanes) {
    // Without overlap the first bucket waits for the last gradient, the others queue behind it.
    if (!config.ddp.overlap && bucket === 0) lane.handOver('compute', 'comm', where);
    else lane.wait(`${buffer}.ready`, where);
  }
  const { length } = builder.lane(0).whole(buffer);
  const group = builder.lanes.map((lane) => lane.device);
  if (group.length > 1)
    ALGORITHMS[config.ddp.algorithm].emit({
      builder,
      group,
      buffer,
      length,
      payload: 'gradient',
      seq: bucket,
      bucket,
      where,
    });
  for (const lane of builder.lanes) lane.signal('comm', `${buffer}.done`);
}
