/**
 * Live bytes of each device over the events of a step, by category: persistent buffers all the time, the others from the event that first
 * touches them to the one that last does. This is what the tensors need; the arena that holds them may be larger. Called by the stage and by metrics.ts.
 */
import { at } from '../base/invariant';
import type { BufferInfo, DeviceIndex, MemoryCategory, StepTrace } from '../protocol/trace';
import { deviceCount } from './devices';

export type Bytes = Readonly<Record<MemoryCategory, number>>;

export const MEMORY_CATEGORIES: readonly MemoryCategory[] = [
  'parameter',
  'gradient',
  'optimizer',
  'bucket',
  'activation',
  'data',
  'communication',
];

export interface MemoryCurve {
  readonly device: DeviceIndex;
  /** Live bytes while event i runs. */
  readonly totals: Float64Array;
  readonly peakBytes: number;
  /** The first event at which the peak stands; -1 in a step without events. */
  readonly peakEvent: number;
}

interface Life {
  readonly info: BufferInfo;
  /** While events first..last run. */
  readonly first: number;
  readonly last: number;
}

/** Lifetimes of the buffers of all devices; a buffer that no event touches and that does not persist is left out. */
function livesOf(trace: StepTrace, buffers: readonly BufferInfo[]): readonly Life[] {
  const touched = new Map<string, { first: number; last: number }>();
  trace.events.forEach((event, index) => {
    for (const name of [...event.reads, ...event.writes]) {
      const key = `${event.device} ${name}`;
      const life = touched.get(key);
      if (life) life.last = index;
      else touched.set(key, { first: index, last: index });
    }
  });
  return buffers.flatMap((info): Life[] => {
    if (info.persistent) return [{ info, first: -1, last: trace.events.length }];
    const life = touched.get(`${info.device} ${info.name}`);
    return life ? [{ info, ...life }] : [];
  });
}

export function memoryCurves(trace: StepTrace, buffers: readonly BufferInfo[]): readonly MemoryCurve[] {
  const count = trace.events.length;
  const changes = Array.from({ length: deviceCount(trace) }, () => new Float64Array(count + 1));
  const always = changes.map(() => 0);
  for (const { info, first, last } of livesOf(trace, buffers)) {
    const change = changes[info.device];
    if (!change) continue;
    if (info.persistent) always[info.device] = at(always, info.device) + info.bytes;
    else {
      change[first] = at(change, first) + info.bytes;
      change[last + 1] = at(change, last + 1) - info.bytes;
    }
  }
  return changes.map((change, device) => {
    let live = at(always, device);
    let peakBytes = live;
    let peakEvent = -1;
    const totals = Float64Array.from({ length: count }, (_, index) => {
      live += at(change, index);
      if (live > peakBytes || peakEvent < 0) {
        peakBytes = live;
        peakEvent = index;
      }
      return live;
    });
    return { device, totals, peakBytes, peakEvent };
  });
}

/** Live bytes of a device by category while event `index` runs; before the first event (-1) what persists. */
export function memoryAt(trace: StepTrace, buffers: readonly BufferInfo[], device: DeviceIndex, index: number): Bytes {
  const bytes: Record<MemoryCategory, number> = { parameter: 0, gradient: 0, optimizer: 0, bucket: 0, activation: 0, data: 0, communication: 0 };
  for (const { info, first, last } of livesOf(trace, buffers)) {
    if (info.device === device && first <= index && index <= last) bytes[info.category] += info.bytes;
  }
  return bytes;
}
