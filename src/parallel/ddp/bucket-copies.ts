/**
 * A rank's own work on a bucket: it copies its pre-divided gradients into the flat buffer, and the averages back. With
 * gradient_as_bucket_view the gradients are stored in the buffer. Called by reducer.ts.
 */
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { ParameterRef } from '../stage-graph';
import type { BucketSlots } from './bucket-slots';
import { fill } from './fill';

export interface Bucket extends BucketSlots {
  /** Name of the bucket's buffer. */
  readonly name: string;
  readonly parameters: readonly ParameterRef[];
  /** Every gradient is multiplied by this number before the reduction. */
  readonly scale: number;
}

/**
 * Copies the gradients. A parameter without gradient counts as zeros, and so does every parameter of a rank that has
 * run out of batches.
 */
export function packBucket(lane: LaneBuilder, bucket: Bucket, hasBatch: boolean, where: Where): void {
  const { name, length, runs, gaps, scale } = bucket;
  lane.buffer({ name, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
  for (const gap of hasBatch ? gaps : [{ start: 0, length }])
    fill(lane, { buffer: name, offset: gap.start, length: gap.length }, 0, where);
  for (const { start, parameters } of hasBatch ? runs : []) {
    lane.compute(
      'ddp/pack',
      parameters.map((p) => p.gradient),
      [name],
      { scale, ...(start > 0 ? { start } : {}) },
      where,
    );
  }
}

/** The gradients are stored in the bucket and multiplied in place; a parameter without gradient has a slot of zeros. */
export function viewBucket(lane: LaneBuilder, bucket: Bucket, where: Where): void {
  const { scale } = bucket;
  const slotOf = new Map(
    bucket.gaps.map(({ parameter, length }) => [parameter.name, { name: `${parameter.name}.slot`, length }]),
  );
  for (const { name, length } of slotOf.values()) {
    lane.buffer({ name, shape: [length], dtype: 'f32', category: 'bucket', persistent: false });
    fill(lane, { buffer: name, offset: 0, length }, 0, where);
  }
  const parts = bucket.parameters.map((p) => slotOf.get(p.name)?.name ?? p.gradient);
  for (const part of parts) {
    const attrs = { from: 0, length: lane.whole(part).length, scale };
    lane.compute('comm/scale', [part], [part], attrs, where);
  }
  lane.view(bucket.name, parts);
}

/** Copies the averages back into .grad. */
export function unpackBucket(lane: LaneBuilder, { name, runs }: Bucket, where: Where): void {
  for (const { start, parameters } of runs) {
    lane.compute(
      'ddp/unpack',
      [name],
      parameters.map((p) => p.gradient),
      start > 0 ? { start } : {},
      where,
    );
  }
}
