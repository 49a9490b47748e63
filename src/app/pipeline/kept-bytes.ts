/**
 * The bytes that a stage keeps of one micro-batch between forward and backward: the tensors that forward reads or
 * writes and backward reads. Counted in a traced step, with padding, as on the device. Pure.
 */
import type { BufferInfo, StepTrace } from '../../protocol/trace';
import type { ReplicaIndex } from './picture-of-trace';

/** The kept bytes of micro-batch 0, by stage; stages without events in the trace are left out. */
export function keptBytes(
  trace: StepTrace,
  buffers: readonly BufferInfo[],
  { index, of }: ReplicaIndex,
): ReadonlyMap<number, number> {
  const before = new Map<number, Set<string>>();
  const after = new Map<number, Set<string>>();
  const deviceOf = new Map<number, number>();
  const add = (sets: Map<number, Set<string>>, stage: number, names: readonly string[]): void => {
    const own = sets.get(stage) ?? new Set();
    for (const name of names) own.add(name);
    sets.set(stage, own);
  };
  for (const { action, queue, device, reads, writes } of trace.events) {
    if (action?.microBatch !== 0 || queue !== 'compute' || device % of !== index) continue;
    deviceOf.set(action.stage, device);
    if (action.kind === 'F') add(before, action.stage, [...reads, ...writes]);
    else add(after, action.stage, reads);
  }
  const bytesOf = new Map(
    buffers
      .filter(({ persistent, category }) => !persistent && (category === 'activation' || category === 'data'))
      .map(({ device, name, bytes }) => [`${device} ${name}`, bytes] as const),
  );
  return new Map(
    [...deviceOf].map(([stage, device]) => {
      const kept = [...(after.get(stage) ?? [])].filter((name) => before.get(stage)?.has(name));
      return [stage, kept.reduce((sum, name) => sum + (bytesOf.get(`${device} ${name}`) ?? 0), 0)] as const;
    }),
  );
}
