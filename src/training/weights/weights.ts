/** The weights of a run at one step, by device, also if no world can be read any more. */
import type { Blueprint } from '../blueprint';
import type { Checkpoint } from '../checkpoint/checkpoint';
import { type BufferValue, startOn, statefulBuffers } from '../world-state';

/**
 * The parameters and buffers of every device and of the reference at one step of the run. `Blueprint.shards` says which
 * pieces of whole tensors they are; weights/merged-weights.ts assembles the whole tensors.
 */
export interface Weights {
  /** The next micro-batch to run. */
  readonly microBatch: number;
  readonly devices: readonly ReadonlyMap<string, Float32Array>[];
  readonly reference: ReadonlyMap<string, Float32Array> | undefined;
}

/** The weights in a checkpoint, which remain of a run that cannot continue. */
export function weightsIn(checkpoint: Checkpoint, { parameters, buffers, rankOfDevice }: Blueprint): Weights {
  const kept = new Set([...parameters, ...buffers].map(({ name }) => name));
  const of = (values: readonly BufferValue[]) => byName(values.filter(({ buffer }) => kept.has(buffer)));
  return {
    microBatch: checkpoint.microBatch,
    devices: rankOfDevice.map((_, d) => of(checkpoint.values.filter(({ device }) => device === d))),
    reference: checkpoint.reference.length > 0 ? of(checkpoint.reference) : undefined,
  };
}

/** The initial weights, which remain of a run that failed before its first checkpoint. */
export function startWeights({ programs, shards, parameters, buffers, rankOfDevice, resume }: Blueprint): Weights {
  const initial = startOn(shards, [...parameters, ...buffers]);
  const held = statefulBuffers(programs);
  const of = (device: number) =>
    held.flatMap(({ device: d, spec }) => {
      const data = d === device ? initial(device, spec.name) : undefined;
      return data ? [[spec.name, Float32Array.from(data)] as const] : [];
    });
  return {
    microBatch: resume?.checkpoint.microBatch ?? 0,
    devices: rankOfDevice.map((_, d) => new Map(of(d))),
    reference: undefined,
  };
}

export const byName = (values: readonly BufferValue[]): ReadonlyMap<string, Float32Array> =>
  new Map(values.map(({ buffer, data }) => [buffer, data instanceof Float32Array ? data : Float32Array.from(data)]));
