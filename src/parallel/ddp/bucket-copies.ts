/**
 * A rank's own work on a bucket: it copies its pre-divided gradients into the flat buffer, and the averages back. With
 * gradient_as_bucket_view the gradients are stored in the buffer. Called by reducer.ts.
 */
import { must } from '../../base/invariant';
import type { Attrs } from '../../graph/op';
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { HalfFormat } from '../../tensor/half-bits';
import { elements } from '../../tensor/shape';
import type { ParameterRef } from '../stage-graph';
import { storedAs } from '../stored';
import type { BucketSlots } from './bucket-slots';
import { fill } from './fill';

export interface Bucket extends BucketSlots {
  /** Name of the bucket's buffer. */
  readonly name: string;
  readonly parameters: readonly ParameterRef[];
  /** Every gradient is multiplied by this number before the reduction. */
  readonly scale: number;
  /** Gradients and bucket are stored as halves, two in each word; undefined: in float32. */
  readonly half: HalfFormat | undefined;
}

/** How 'ddp/pack' and 'ddp/unpack' find gradients in halves. */
const halfAttrs = (lane: LaneBuilder, gradients: readonly string[], format: HalfFormat | undefined): Attrs =>
  format ? { format, lengths: gradients.map((name) => elements(must(lane.spec(name).halves, name).shape)) } : {};

/**
 * Copies the gradients. A parameter without gradient counts as zeros, and so does every parameter of a rank that has
 * run out of batches.
 */
export function packBucket(lane: LaneBuilder, bucket: Bucket, hasBatch: boolean, where: Where): void {
  const { name, length, runs, gaps, scale, half } = bucket;
  lane.buffer({ name, ...storedAs({ shape: [length], dtype: 'f32' }, half), category: 'bucket', persistent: false });
  const whole = lane.whole(name);
  // A gap in halves may begin in the middle of a word.
  const inWords = gaps.length > 0 ? [whole] : [];
  const inFloats = gaps.map((gap) => ({ buffer: name, offset: gap.start, length: gap.length }));
  for (const zeros of hasBatch ? (half ? inWords : inFloats) : [whole]) fill(lane, zeros, 0, where);
  for (const { start, parameters } of hasBatch ? runs : []) {
    const gradients = parameters.map((p) => p.gradient);
    const attrs = { scale, ...(start > 0 ? { start } : {}), ...halfAttrs(lane, gradients, half) };
    lane.compute('ddp/pack', gradients, [name], attrs, where);
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
export function unpackBucket(lane: LaneBuilder, { name, runs, half }: Bucket, where: Where): void {
  for (const { start, parameters } of runs) {
    const gradients = parameters.map((p) => p.gradient);
    const attrs = { ...(start > 0 ? { start } : {}), ...halfAttrs(lane, gradients, half) };
    lane.compute('ddp/unpack', [name], gradients, attrs, where);
  }
}
