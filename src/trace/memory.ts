/**
 * Live bytes of each device by category while the step runs: persistent buffers always, the step's own buffers from
 * their first write to their last use. Buffers that CPU offload keeps on the host do not count. This is what the step
 * needs; the planner allocates slightly more (DeviceMemory), because buffers share whole slots. Pure.
 */
import type { BufferInfo, DeviceIndex, MemoryCategory, StepTrace, TraceEvent } from '../protocol/trace';

export type MemoryUse = Readonly<Record<MemoryCategory, number>>;

export interface MemoryOverTime {
  /** Live while event `index` runs (both its inputs and its outputs); index -1: before the step. */
  at(device: DeviceIndex, index: number): MemoryUse;
  /** Largest sum over the step, and the event where it is reached first. */
  peak(device: DeviceIndex): { readonly bytes: number; readonly event: number };
}

interface Life {
  readonly category: MemoryCategory;
  readonly bytes: number;
  readonly first: number;
  last: number;
}

const ALIGNMENT = 256;
const EMPTY: MemoryUse = {
  parameter: 0,
  unsharded: 0,
  gradient: 0,
  optimizer: 0,
  buffer: 0,
  bucket: 0,
  activation: 0,
  data: 0,
  communication: 0,
};

export const totalBytes = (use: MemoryUse): number => Object.values(use).reduce((a, b) => a + b, 0);

export function memoryOf(trace: StepTrace, buffers: readonly BufferInfo[]): MemoryOverTime {
  const fixed = new Map<DeviceIndex, Record<MemoryCategory, number>>();
  const fixedOf = (device: DeviceIndex) => fixed.get(device) ?? { ...EMPTY };
  for (const b of buffers) {
    if (!b.persistent || b.onHost) continue;
    const use = fixedOf(b.device);
    use[b.category] += b.bytes;
    fixed.set(b.device, use);
  }
  const lives = livesOf(trace, buffers);
  const at = (device: DeviceIndex, index: number): MemoryUse => {
    const use = { ...fixedOf(device) };
    for (const life of lives.get(device) ?? [])
      if (life.first <= index && index <= life.last) use[life.category] += life.bytes;
    return use;
  };
  return {
    at,
    peak(device) {
      let best = { bytes: totalBytes(at(device, -1)), event: -1 };
      trace.events.forEach((e, index) => {
        if (e.device !== device) return;
        const bytes = totalBytes(at(device, index));
        if (bytes > best.bytes) best = { bytes, event: index };
      });
      return best;
    },
  };
}

/** Lifetimes of the buffers that live within the step. */
function livesOf(trace: StepTrace, buffers: readonly BufferInfo[]): ReadonlyMap<DeviceIndex, readonly Life[]> {
  const known = new Map(buffers.map((b) => [`${b.device} ${b.name}`, b]));
  const lives = new Map<string, Life>();
  const byDevice = new Map<DeviceIndex, Life[]>();
  const extents = extentsOf(trace);
  trace.events.forEach((e, index) => {
    for (const name of new Set([...e.reads, ...e.writes])) {
      const key = `${e.device} ${name}`;
      const info = known.get(key);
      if (info?.persistent || info?.onHost) continue;
      const life = lives.get(key);
      if (life) {
        life.last = index;
        continue;
      }
      const bytes = Math.max(info?.bytes ?? 0, extents.get(key) ?? 0);
      const made: Life = { category: info?.category ?? guess(e), bytes, first: index, last: index };
      lives.set(key, made);
      byDevice.set(e.device, [...(byDevice.get(e.device) ?? []), made]);
    }
  });
  return byDevice;
}

/**
 * Sizes of buffers as far as transfers reach them: another kind of step may have a buffer that the usual step lacks
 * (the single bucket of DDP's first step), or a larger one.
 */
function extentsOf(trace: StepTrace): ReadonlyMap<string, number> {
  const extents = new Map<string, number>();
  for (const { device, slice, bytes: moved } of trace.events) {
    if (!slice || slice.length === 0) continue;
    const key = `${device} ${slice.buffer}`;
    const bytes = Math.ceil(((slice.offset + slice.length) * moved) / slice.length / ALIGNMENT) * ALIGNMENT;
    extents.set(key, Math.max(bytes, extents.get(key) ?? 0));
  }
  return extents;
}

const guess = (e: TraceEvent): MemoryCategory => (e.bucket === undefined ? 'communication' : 'bucket');
