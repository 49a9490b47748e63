/**
 * The contents of each captured buffer of each device at a place of the trace: the contents before the step, then the
 * writes of each event. `contentsAt` is the plain fold; ContentsCursor gives the same for a scrubbing cursor, and
 * returns the same array until the buffer is written again, so that drawings of it can be cached. All values were read
 * back from the devices.
 */
import type { Captured, DeviceIndex, Slice, StepTrace } from '../protocol/trace';

export interface Content {
  /**
   * values[i] is element i of the buffer, up to the last captured one; NaN in gaps between captured stretches. Must not
   * be changed.
   */
  readonly values: Float32Array;
  /** Index of this step's event that wrote last; undefined while the values are from before the step. */
  readonly event: number | undefined;
}

/** By device, then by buffer; buffers that nothing has written are missing. */
export type Contents = ReadonlyMap<DeviceIndex, ReadonlyMap<string, Content>>;

/** The values with a captured stretch laid over them; a new array. */
function overlaid(before: Float32Array | undefined, { offset, values }: Captured): Float32Array {
  const held = before?.length ?? 0;
  const result = new Float32Array(Math.max(held, offset + values.length));
  if (before) result.set(before);
  if (offset > held) result.fill(Number.NaN, held, offset);
  result.set(values, offset);
  return result;
}

/** After events 0..cursor (cursor -1: before the first). */
export function contentsAt(trace: StepTrace, cursor: number): Contents {
  const result = new Map<DeviceIndex, Map<string, Content>>();
  const write = (device: DeviceIndex, captured: Captured, event: number | undefined) => {
    const own = result.get(device) ?? new Map<string, Content>();
    own.set(captured.buffer, { values: overlaid(own.get(captured.buffer)?.values, captured), event });
    result.set(device, own);
  };
  for (const { device, captured } of trace.initial) for (const c of captured) write(device, c, undefined);
  trace.events.slice(0, cursor + 1).forEach(({ device, captured }, event) => {
    for (const c of captured) write(device, c, event);
  });
  return result;
}

/** One buffer of one device: its writes in order, and the contents after the first `applied` of them. */
interface Track {
  readonly writes: { readonly event: number; readonly captured: Captured }[];
  readonly before: Float32Array | undefined;
  applied: number;
  content: Content | undefined;
}

const trackKey = (device: DeviceIndex, buffer: string): string => `${device} ${buffer}`;

export class ContentsCursor {
  private readonly tracks = new Map<string, Track>();
  private at = -1;

  constructor(trace: StepTrace) {
    for (const { device, captured } of trace.initial) {
      for (const c of captured) {
        const values = overlaid(this.tracks.get(trackKey(device, c.buffer))?.before, c);
        this.tracks.set(trackKey(device, c.buffer), {
          writes: [],
          before: values,
          applied: 0,
          content: { values, event: undefined },
        });
      }
    }
    trace.events.forEach(({ device, captured }, event) => {
      for (const c of captured) {
        const key = trackKey(device, c.buffer);
        const track = this.tracks.get(key) ?? { writes: [], before: undefined, applied: 0, content: undefined };
        this.tracks.set(key, track);
        track.writes.push({ event, captured: c });
      }
    });
  }

  /** Index of the last event that has happened; -1: none. */
  get position(): number {
    return this.at;
  }

  /** Moves to after events 0..event. Costs nothing: buffers are updated when they are read. */
  seek(event: number): this {
    this.at = event;
    return this;
  }

  /**
   * Contents of a buffer at the cursor; undefined until the buffer has been computed. The same object until the next
   * write.
   */
  content(device: DeviceIndex, buffer: string): Content | undefined {
    const track = this.tracks.get(trackKey(device, buffer));
    if (!track) return undefined;
    const due = countUpTo(track.writes, this.at);
    if (due < track.applied) {
      track.applied = 0;
      track.content = track.before && { values: track.before, event: undefined };
    }
    let values = track.content?.values;
    for (; track.applied < due; track.applied++) {
      const write = track.writes[track.applied];
      if (!write) break;
      values = overlaid(values, write.captured);
      track.content = { values, event: write.event };
    }
    return track.content;
  }

  /** The captured values of a stretch from its start on, as far as known; undefined if the first element is unknown. */
  values(device: DeviceIndex, slice: Slice): Float32Array | undefined {
    const content = this.content(device, slice.buffer);
    const track = this.tracks.get(trackKey(device, slice.buffer));
    if (!content || !track) return undefined;
    const end = Math.min(knownFrom(track, slice.offset), slice.offset + slice.length);
    return end > slice.offset ? content.values.subarray(slice.offset, end) : undefined;
  }
}

/** The end of the stretch of captured elements that begins at `offset`; `offset` itself if there is none. */
function knownFrom({ before, writes, applied }: Track, offset: number): number {
  const known = writes
    .slice(0, applied)
    .map(({ captured }) => [captured.offset, captured.offset + captured.values.length] as const);
  if (before) known.push([0, before.length]);
  let end = offset;
  for (let last = -1; last !== end; ) {
    last = end;
    for (const [from, to] of known) if (from <= end && end < to) end = to;
  }
  return end;
}

/** Writes of events 0..event. */
function countUpTo(writes: Track['writes'], event: number): number {
  let low = 0;
  let high = writes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((writes[middle]?.event ?? 0) <= event) low = middle + 1;
    else high = middle;
  }
  return low;
}
