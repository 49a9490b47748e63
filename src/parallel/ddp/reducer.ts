/**
 * DDP's reducer as a step of it: gradients are copied into flat buckets and pre-divided, a bucket is launched when its
 * last gradient is ready and its predecessors have been launched, and at the end of backward the averages are copied
 * back. With gradient_as_bucket_view the gradients are the bucket: nothing is copied. Parameters without gradient count
 * as zeros where DDP knows of them (find_unused_parameters, static_graph); else their bucket never gets ready, and
 * nothing from there on is reduced. A rank that has run out of batches takes part with zeros (join). Source:
 * torch/csrc/distributed/c10d/reducer.cpp.
 */

import { at } from '../../base/invariant';
import type { ProgramBuilder } from '../../program/builder';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { Config } from '../../protocol/config';
import type { Group } from '../../protocol/mesh';
import type { HookPhase } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { ParameterRef, StageGraph } from '../stage-graph';
import { slotsOf } from './bucket-slots';
import { commHookOf } from './comm-hooks/comm-hooks';
import { fill } from './fill';
import { findsUnused, unusedParameters } from './ready-order';
import { reduceUsedMap } from './used-map';

const REDUCE: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };

export interface Reducer {
  /** The device has written these buffers; launches what is ready on all. */
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
  /** Before the names of its buckets' buffers, where a device has several reducers. */
  readonly prefix?: string;
  /** Devices that have a batch. */
  readonly active: readonly DeviceIndex[];
  readonly phase: HookPhase;
}

export function createReducer(options: ReducerOptions): Reducer {
  const { builder, config, group, stage, buckets, active, phase, prefix = '' } = options;
  const nameOf = (index: number): string => `${prefix}bucket${index}`;
  const hook = commHookOf(config);
  const { overlap, divideByInitialWorldSize, join, gradientAsBucketView, staticGraph } = config.ddp;
  const lanes = builder.lanesOf(group);
  const scale = hook.scale(join && !divideByInitialWorldSize ? active.length : group.ranks.length, phase);
  const unused = new Set(unusedParameters(stage).map((p) => p.name));
  const shapes = new Map(stage.graph.values.map((v) => [v.name, v.type.shape]));
  const slots = buckets.map((bucket) => slotsOf(bucket, shapes, unused));
  const counts = (p: ParameterRef): boolean => !(findsUnused(config) || staticGraph) || !unused.has(p.name);
  const pending = new Map(
    active.map((device) => [device, buckets.map((bucket) => new Set(bucket.filter(counts).map((p) => p.fresh)))]),
  );
  const isReady = (index: number): boolean => [...pending.values()].every((sets) => at(sets, index).size === 0);
  let launched = 0;

  /** The gradients are the bucket: multiplied where they are; what has none is a slot of zeros. */
  const view = (lane: LaneBuilder, index: number, where: Where) => {
    const { gaps } = at(slots, index);
    const slotOf = new Map(
      gaps.map(({ parameter, length }) => [parameter.name, { name: `${parameter.name}.slot`, length }]),
    );
    for (const { name, length } of slotOf.values()) {
      lane.buffer({ name, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
      fill(lane, { buffer: name, offset: 0, length }, 0, where);
    }
    const parts = at(buckets, index).map((p) => slotOf.get(p.name)?.name ?? p.gradient);
    for (const part of parts) {
      const attrs = { from: 0, length: lane.whole(part).length, scale };
      lane.compute('comm/scale', [part], [part], attrs, where);
    }
    lane.view(nameOf(index), parts);
  };
  const pack = (lane: LaneBuilder, index: number, where: Where) => {
    const { length, runs, gaps } = at(slots, index);
    const name = nameOf(index);
    lane.buffer({ name, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
    const own = active.includes(lane.device);
    for (const gap of own ? gaps : [{ start: 0, length }])
      fill(lane, { buffer: name, offset: gap.start, length: gap.length }, 0, where);
    for (const { start, parameters } of own ? runs : []) {
      lane.compute(
        'ddp/pack',
        parameters.map((p) => p.gradient),
        [name],
        { scale, ...(start > 0 ? { start } : {}) },
        where,
      );
    }
  };
  const launch = (index: number) => {
    const where: Where = { phase: 'backward', anchor: 'backward', bucket: index };
    for (const lane of lanes) {
      if (gradientAsBucketView && active.includes(lane.device)) view(lane, index, where);
      else pack(lane, index, where);
      lane.signal('compute', `${nameOf(index)}.ready`);
    }
    if (overlap) reduce(index);
  };
  const reduce = (index: number) => {
    const buffer = nameOf(index);
    const where = { ...REDUCE, bucket: index };
    for (const lane of lanes) {
      // Without overlap the first bucket waits for the last gradient, the others queue behind it.
      if (!overlap && index === 0) lane.handOver('compute', 'comm', where);
      else lane.wait(`${buffer}.ready`, where);
    }
    const { length } = at(slots, index);
    const call = { builder, config, group, buffer, length, parameters: at(buckets, index), index, where, phase };
    for (const lane of lanes) for (const spec of hook.state?.(call) ?? []) lane.buffer(spec);
    hook.emit(call);
    for (const lane of lanes) lane.signal('comm', `${buffer}.done`);
  };

  return {
    ready(device, gradients) {
      for (const name of gradients) for (const set of pending.get(device) ?? []) set.delete(name);
      while (launched < buckets.length && isReady(launched)) launch(launched++);
    },
    finish() {
      // The end of backward finds a bucket that is not ready: nothing is waited for, and .grad keeps what is this
      // rank's own.
      if (launched < buckets.length) return;
      if (!overlap) for (const index of buckets.keys()) reduce(index);
      if (findsUnused(config)) reduceUsedMap(options, unused);
      buckets.forEach((_, index) => {
        const where: Where = { phase: 'reduce', anchor: 'backward', bucket: index };
        for (const device of active) {
          const lane = builder.lane(device);
          lane.wait(`${nameOf(index)}.done`, where);
          for (const { start, parameters } of gradientAsBucketView ? [] : at(slots, index).runs) {
            lane.compute(
              'ddp/unpack',
              [nameOf(index)],
              parameters.map((p) => p.gradient),
              start > 0 ? { start } : {},
              where,
            );
          }
        }
      });
    },
  };
}
