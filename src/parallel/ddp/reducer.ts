/**
 * DDP's reducer as a step of it: gradients are copied into flat buckets and pre-divided, a bucket is launched when its last gradient is ready and its
 * predecessors have been launched, and at the end of backward the averages are copied back. Source: torch/csrc/distributed/c10d/reducer.cpp.
 */
import { at } from '../../base/invariant';
import type { ProgramBuilder, Where } from '../../program/builder';
import type { Config } from '../../protocol/config';
import { elements } from '../../tensor/shape';
import type { ParameterRef } from '../stage-graph';
import { commHookOf } from './comm-hooks/comm-hooks';

const REDUCE: Where = { phase: 'reduce', anchor: 'allreduce', queue: 'comm' };

export interface Reducer {
  /** These buffers have been written on every lane; launches what is ready. */
  ready(gradients: readonly string[]): void;
  /** finalize_backward: waits for each bucket in order, copies the averages back into .grad. */
  finish(): void;
}

export function createReducer(
  builder: ProgramBuilder,
  config: Config,
  buckets: readonly (readonly ParameterRef[])[],
  phase = '',
): Reducer {
  const hook = commHookOf(config);
  const { overlap } = config.ddp;
  const group = builder.lanes.map((lane) => lane.device);
  const pending = buckets.map((bucket) => new Set(bucket.map((p) => p.fresh)));
  let launched = 0;

  const pack = (index: number) => {
    const bucket = at(buckets, index);
    for (const lane of builder.lanes) {
      const length = bucket.reduce((n, p) => n + elements(lane.spec(p.gradient).shape), 0);
      lane.buffer({ name: `bucket${index}`, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
      lane.compute(
        'ddp/pack',
        bucket.map((p) => p.gradient),
        [`bucket${index}`],
        { scale: hook.scale(group.length, phase) },
        { phase: 'backward', anchor: 'backward', bucket: index, signals: `bucket${index}.ready` },
      );
    }
  };
  const reduce = (index: number) => {
    const buffer = `bucket${index}`;
    const where = { ...REDUCE, bucket: index };
    for (const lane of builder.lanes) {
      // Without overlap the first bucket waits for the last gradient, the others queue behind it.
      if (!overlap && index === 0) lane.handOver('compute', 'comm', where);
      else lane.wait(`${buffer}.ready`, where);
    }
    const { length } = builder.lane(0).whole(buffer);
    const call = { builder, config, group, buffer, length, parameters: at(buckets, index), index, where, phase };
    for (const lane of builder.lanes) for (const spec of hook.state?.(call) ?? []) lane.buffer(spec);
    hook.emit(call);
    for (const lane of builder.lanes) lane.signal('comm', `${buffer}.done`);
  };

  return {
    ready(gradients) {
      for (const name of gradients) for (const set of pending) set.delete(name);
      while (launched < buckets.length && pending[launched]?.size === 0) {
        pack(launched);
        if (overlap) reduce(launched);
        launched++;
      }
    },
    finish() {
      if (!overlap) for (const index of buckets.keys()) reduce(index);
      buckets.forEach((bucket, index) => {
        for (const lane of builder.lanes) {
          lane.wait(`bucket${index}.done`, { phase: 'reduce', anchor: 'backward', bucket: index });
          lane.compute(
            'ddp/unpack',
            [`bucket${index}`],
            bucket.map((p) => p.gradient),
            {},
            { phase: 'reduce', anchor: 'backward', bucket: index },
          );
        }
      });
    },
  };
}
