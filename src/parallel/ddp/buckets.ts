/**
 * How DDP puts parameters into buckets: compute_bucket_assignment_by_size of reducer.cpp. A bucket closes after the
 * tensor that reaches its limit, so buckets may exceed their limits; a parameter is never split. Each new bucket takes
 * the next limit, and the last limit repeats.
 */
import type { Config } from '../../protocol/config';

export const FIRST_BUCKET_BYTES = 1024 * 1024;
export const DEFAULT_BUCKET_CAP_MB = 25;

/** Groups of indices into `bytes`, in order. `limits` is in bytes, too. */
export function assignBuckets(bytes: readonly number[], limits: readonly number[]): number[][] {
  const buckets: number[][] = [];
  let open: number[] = [];
  let size = 0;
  bytes.forEach((b, i) => {
    open.push(i);
    size += b;
    const limit = limits[Math.min(buckets.length, limits.length - 1)] ?? Number.POSITIVE_INFINITY;
    if (size >= limit) {
      buckets.push(open);
      open = [];
      size = 0;
    }
  });
  if (open.length > 0) buckets.push(open);
  return buckets;
}

/**
 * Limits of the rebuilt buckets, and of those that find_unused_parameters builds in the constructor and keeps. As in
 * PyTorch 2.x, a cap that the user gives holds for the first bucket too (_BucketCapacityConfig.create); in 1.13 the
 * first bucket closed at 1 MiB whatever the cap.
 */
export function bucketLimits(ddp: Config['ddp']): readonly number[] {
  if (ddp.bucketCapMb === undefined) return [FIRST_BUCKET_BYTES, DEFAULT_BUCKET_CAP_MB * 1024 * 1024];
  return [Math.floor(ddp.bucketCapMb * 1024 * 1024)];
}
