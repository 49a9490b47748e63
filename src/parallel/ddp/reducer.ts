/**
 * DDP's reducer. It copies pre-divided gradients into flat buckets, launches a bucket when its last gradient is ready
 * and all earlier buckets have been launched, and copies the averages back at the end of backward. With
 * gradient_as_bucket_view the gradients are stored in the bucket, and nothing is copied. If DDP knows the parameters
 * without gradient (find_unused_parameters, static_graph), they count as zeros; otherwise their bucket never gets
 * ready, and neither that bucket nor any later one is reduced. A rank that has run out of batches takes part with zeros
 * (join). Source: torch/csrc/distributed/c10d/reducer.cpp.
 */

import { at } from '../../base/invariant';
import type { ProgramBuilder } from '../../program/builder';
import type { Where } from '../../program/lane-builder';
import type { Config } from '../../protocol/config';
import { modelHalf } from '../../protocol/half-of';
import type { Group } from '../../protocol/mesh';
import type { HookPhase } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { ParameterRef, StageGraph } from '../stage-graph';
import { type Bucket, packBucket, unpackBucket, viewBucket } from './bucket-copies';
import { slotsOf } from './bucket-slots';
import { commHookOf } from './comm-hooks/comm-hooks';
import { USED_MAP } from './rare-parts';
import { findsUnused, unusedParameters } from './ready-order';

const REDUCE: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };

export interface Reducer {
  /** The device has written these gradients; launches the buckets that are ready on all devices. */
  ready(device: DeviceIndex, gradients: readonly string[]): void;
  /** finalize_backward: waits for each bucket in order, copies the averages back into .grad. */
  finish(): void;
}

interface ReducerOptions {
  readonly builder: ProgramBuilder;
  readonly config: Config;
  /** Ranks whose gradients are averaged, each on one device. */
  readonly group: Group;
  readonly stage: StageGraph;
  readonly buckets: readonly (readonly ParameterRef[])[];
  /** Prefix of the names of the buckets' buffers, if a device has several reducers. */
  readonly prefix?: string;
  /** Devices that have a batch. */
  readonly active: readonly DeviceIndex[];
  readonly phase: HookPhase;
}

export function createReducer(options: ReducerOptions): Reducer {
  const { builder, config, group, stage, active, phase, prefix = '' } = options;
  const hook = commHookOf(config);
  const { overlap, divideByInitialWorldSize, join, gradientAsBucketView, staticGraph } = config.ddp;
  const lanes = builder.lanesOf(group);
  const scale = hook.scale(join && !divideByInitialWorldSize ? active.length : group.ranks.length, phase);
  const unused = new Set(unusedParameters(stage).map((p) => p.name));
  const shapes = new Map(stage.graph.values.map((v) => [v.name, v.type.shape]));
  const buckets = options.buckets.map(
    (parameters, index): Bucket => ({
      name: `${prefix}bucket${index}`,
      parameters,
      scale,
      half: modelHalf(config.precision),
      ...slotsOf(parameters, shapes, unused),
    }),
  );
  const counts = (p: ParameterRef): boolean => !(findsUnused(config) || staticGraph) || !unused.has(p.name);
  const pending = new Map(
    active.map((device) => [
      device,
      buckets.map(({ parameters }) => new Set(parameters.filter(counts).map((p) => p.fresh))),
    ]),
  );
  const isReady = (index: number): boolean => [...pending.values()].every((sets) => at(sets, index).size === 0);
  let launched = 0;

  const launch = (index: number) => {
    const bucket = at(buckets, index);
    const where: Where = { phase: 'backward', anchor: 'backward', bucket: index };
    for (const lane of lanes) {
      const hasBatch = active.includes(lane.device);
      if (gradientAsBucketView && hasBatch) viewBucket(lane, bucket, where);
      else packBucket(lane, bucket, hasBatch, where);
      lane.signal('compute', `${bucket.name}.ready`);
    }
    if (overlap) reduce(bucket, index);
  };
  const reduce = ({ name, length, parameters }: Bucket, index: number) => {
    const where = { ...REDUCE, bucket: index };
    for (const lane of lanes) {
      // Without overlap the first bucket waits for the last gradient, and the other buckets queue behind the first.
      if (!overlap && index === 0) lane.handOver('compute', 'comm', where);
      else lane.wait(`${name}.ready`, where);
    }
    const call = { builder, config, group, buffer: name, length, parameters, index, where, phase };
    for (const lane of lanes) for (const spec of hook.state?.(call) ?? []) lane.buffer(spec);
    hook.emit(call);
    for (const lane of lanes) lane.signal('comm', `${name}.done`);
  };

  return {
    ready(device, gradients) {
      for (const name of gradients) for (const set of pending.get(device) ?? []) set.delete(name);
      while (launched < buckets.length && isReady(launched)) launch(launched++);
    },
    finish() {
      // A bucket is not ready at the end of backward: torch waits for none, and .grad keeps the rank's own gradients.
      if (launched < buckets.length) return;
      if (!overlap) buckets.forEach(reduce);
      if (findsUnused(config)) USED_MAP.get().reduceUsedMap(options, unused);
      buckets.forEach((bucket, index) => {
        const where: Where = { phase: 'reduce', anchor: 'backward', bucket: index };
        for (const device of active) {
          const lane = builder.lane(device);
          lane.wait(`${bucket.name}.done`, where);
          if (!gradientAsBucketView) unpackBucket(lane, bucket, where);
        }
      });
    },
  };
}
