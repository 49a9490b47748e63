/**
 * A dispatch as plain numbers: which kernel, which ranges of which buffers, which parameters, how many workgroups.
 * Planned once from launches and transfers; `bind-dispatches.ts` turns it into GPU objects. This file checks the rules
 * by which WebGPU would refuse it later.
 */
import { LockstepError } from '../../base/errors';
import { isWritten } from '../../graph/kernel-spec';
import { KERNELS, type KernelId } from '../../graph/kernel-table';
import type { KernelParam } from '../../graph/op';

export interface BoundRange {
  /** Index into MemoryLayout.buffers. */
  readonly buffer: number;
  readonly offset: number;
  readonly size: number;
}

export interface DispatchSpec {
  readonly kernel: KernelId;
  readonly constants: Readonly<Record<string, number>>;
  readonly tensors: readonly BoundRange[];
  /** Words of the Params struct; empty when the kernel has none. */
  readonly params: Uint32Array<ArrayBuffer>;
  /** Block table of a segmented kernel. */
  readonly table?: Uint32Array<ArrayBuffer>;
  readonly workgroups: readonly [number, number, number];
}

/** Parameters in order, then the strides, as the words of the uniform struct. */
export function packParams(params: readonly KernelParam[], strides: readonly number[]): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(params.length + strides.length);
  const floats = new Float32Array(words.buffer);
  params.forEach((param, i) => {
    if (typeof param === 'number') words[i] = param;
    else floats[i] = param.f32;
  });
  words.set(strides, params.length);
  return words;
}

/** WebGPU refuses a buffer that is read and written in one dispatch, and writable ranges that overlap. */
export function rangesConflict(kernel: KernelId, ranges: readonly BoundRange[]): boolean {
  const spec = KERNELS[kernel];
  return ranges.some((a, i) =>
    ranges.slice(0, i).some((b, j) => {
      if (a.buffer !== b.buffer) return false;
      const [writesA, writesB] = [isWritten(spec, i), isWritten(spec, j)];
      const overlap = a.offset < b.offset + b.size && b.offset < a.offset + a.size;
      return (writesA || writesB) && (writesA !== writesB || overlap);
    }),
  );
}

export function conflictError(kernel: KernelId, labels: readonly string[]): LockstepError {
  const hint =
    'Give the buffers that a kernel reads and those that it writes pools of their own, and each kind of optimiser state too.';
  return new LockstepError(
    'program',
    `Kernel ${kernel} would read and write the same allocation through two bindings (${labels.join(', ')}).`,
    hint,
  );
}
