/**
 * The collectives of a step as rooms show them: the slices of buffers that each device holds during a collective (the
 * rows of its room), and the ranks whose values are in each slice. Computed once per trace; pure.
 */
import type { SessionInfo } from '../../protocol/session-info';
import type { CollectiveRef, DeviceIndex, Payload, Slice, StepTrace, TraceEvent } from '../../protocol/trace';
import { joinedSlice } from '../../trace/joined';
import type { BucketPlace } from './bucket-places';
import { elements } from './devices';

export interface Exchange {
  readonly op: CollectiveRef['op'];
  readonly bucket: BucketPlace | undefined;
  readonly payload: Payload;
  /** Per device, its slices in order; a chunk has the same row in every room. */
  readonly rows: readonly (readonly Slice[])[];
  /** The number of ranks that take part. */
  readonly members: number;
}

export interface Exchanges {
  /** The exchange to which an event belongs, as a transfer or as a copy into or out of the bucket. */
  of(event: TraceEvent): Exchange | undefined;
  ofBucket(index: number): Exchange | undefined;
  /** The buffers that the step sends, with what they carry. */
  readonly carried: ReadonlyMap<string, Payload>;
}

/** Values that a transfer brings into a chunk. */
export interface ChunkArrival {
  readonly from: DeviceIndex;
  readonly adds: boolean;
  /** true: the values have arrived; false: they are on their way. */
  readonly there: boolean;
  readonly values: Float32Array | undefined;
}

const keyOf = ({ group, seq }: CollectiveRef): string => `${group?.id ?? 0}/${seq}`;

/** Cuts the buffer wherever a transfer's slice begins or ends. */
function cut(buffer: string, length: number, slices: readonly Slice[]): readonly Slice[] {
  const places = new Set([0, length, ...slices.flatMap((s) => [s.offset, s.offset + s.length])]);
  const sorted = [...places].filter((p) => p <= length).sort((a, b) => a - b);
  return sorted.slice(1).map((to, i) => ({ buffer, offset: sorted[i] ?? 0, length: to - (sorted[i] ?? 0) }));
}

export function exchangesOf(info: SessionInfo, trace: StepTrace, buckets: readonly BucketPlace[]): Exchanges {
  const lengths = new Map(info.buffers.map((b) => [`${b.device} ${b.name}`, elements(b.shape)]));
  const moved = new Map<string, TraceEvent[]>();
  const carried = new Map<string, Payload>();
  for (const e of trace.events) {
    if (e.slice && e.payload) carried.set(e.slice.buffer, e.payload);
    if (!e.collective || !e.slice || e.slice.length === 0) continue;
    const key = keyOf(e.collective);
    const own = moved.get(key);
    if (own) own.push(e);
    else moved.set(key, [e]);
  }
  const sentBy = new Map(trace.events.flatMap((e) => (e.kind === 'send' && e.slice ? [[e.id, e.slice] as const] : [])));
  const rowsOf = (device: DeviceIndex, events: readonly TraceEvent[]): readonly Slice[] => {
    const slices = events.flatMap((e) =>
      e.device === device && e.slice ? [joinedSlice(e.slice, sentBy.get(e.match ?? -1))] : [],
    );
    return [...new Set(slices.map((s) => s.buffer))].flatMap((buffer) => {
      const own = slices.filter((s) => s.buffer === buffer);
      const reach = Math.max(...own.map((s) => s.offset + s.length));
      return cut(buffer, Math.max(reach, lengths.get(`${device} ${buffer}`) ?? 0), own);
    });
  };
  const devices = Array.from({ length: info.worldSize }, (_, d) => d);
  const made = new Map<string, Exchange>();
  const byBucket = new Map<number, Exchange>();
  for (const [key, events] of moved) {
    const first = events[0];
    if (!first?.collective) continue;
    const bucket = buckets.find(
      (b) => b.index === first.bucket && events.some((e) => e.slice && b.buffers.includes(e.slice.buffer)),
    );
    const exchange: Exchange = {
      op: first.collective.op,
      bucket,
      payload: first.payload ?? 'gradient',
      rows: devices.map((d) => (bucket ? bucket.chunks : rowsOf(d, events))),
      members: new Set(events.map((e) => e.device)).size,
    };
    made.set(key, exchange);
    if (bucket) byBucket.set(bucket.index, exchange);
  }
  return {
    of: (e) =>
      e.collective ? made.get(keyOf(e.collective)) : e.bucket === undefined ? undefined : byBucket.get(e.bucket),
    ofBucket: (index) => byBucket.get(index),
    carried,
  };
}

interface Change {
  readonly event: number;
  readonly from: number;
  readonly to: number;
  readonly ranks: RankSet;
}

export interface Contributors {
  /** The devices whose values are in the slice after events 0..event; empty if none of this step's values are. */
  in(event: number, device: DeviceIndex, slice: Slice): RankSet;
}

/** One bit per device; a bigint, because a number's bit operations stop at 32 bits and a world has up to 64 ranks. */
export type RankSet = bigint;
export const NO_RANKS: RankSet = 0n;
export const onlyRank = (device: DeviceIndex): RankSet => 1n << BigInt(device);
export const hasRank = (ranks: RankSet, device: DeviceIndex): boolean => (ranks & onlyRank(device)) !== NO_RANKS;

/** Follows the step's transfers: a receive stores or adds what the sender held when it sent. */
export function contributorsOf(trace: StepTrace, carried: Exchanges['carried']): Contributors {
  const changes = new Map<string, Change[]>();
  const key = (device: DeviceIndex, buffer: string) => `${device} ${buffer}`;
  const at = (event: number, device: DeviceIndex, { buffer, offset }: Slice): RankSet =>
    changes.get(key(device, buffer))?.findLast((c) => c.event <= event && c.from <= offset && offset < c.to)?.ranks ??
    NO_RANKS;
  const change = (device: DeviceIndex, buffer: string, made: Change) => {
    const own = changes.get(key(device, buffer));
    if (own) own.push(made);
    else changes.set(key(device, buffer), [made]);
  };
  const sent = new Map<number, { readonly device: DeviceIndex; readonly slice: Slice; readonly event: number }>();
  trace.events.forEach((e, event) => {
    const { device, slice } = e;
    if (e.kind === 'send' && slice) sent.set(e.id, { device, slice, event });
    else if (e.kind === 'recv' && slice) {
      const source = e.match === undefined ? undefined : sent.get(e.match);
      const target = joinedSlice(slice, source?.slice);
      const puts = target === slice && (e.apply === 'put' || e.apply === undefined);
      // A slice of several chunks can hold a different sum in each chunk.
      for (const part of partsOf(changes.get(key(device, target.buffer)) ?? [], target)) {
        const there = source && { ...source.slice, offset: source.slice.offset + part.offset - target.offset };
        const came = there ? at(source.event, source.device, there) || onlyRank(source.device) : NO_RANKS;
        const held = puts ? NO_RANKS : at(event, device, part);
        const from = part.offset;
        change(device, target.buffer, { event, from, to: from + part.length, ranks: came | held });
      }
    } else if ((e.kind === 'compute' || e.kind === 'load') && e.name !== 'halves/add') {
      for (const buffer of e.writes) {
        if (!carried.has(buffer)) continue;
        const read = e.reads.reduce((all, r) => all | at(event, device, { buffer: r, offset: 0, length: 1 }), NO_RANKS);
        const copies = e.bucket !== undefined && e.reads.some((r) => carried.has(r));
        change(device, buffer, {
          event,
          from: 0,
          to: Number.POSITIVE_INFINITY,
          ranks: (copies && read) || onlyRank(device),
        });
      }
    }
  });
  return { in: at };
}

function partsOf(changes: readonly Change[], slice: Slice): readonly Slice[] {
  const end = slice.offset + slice.length;
  const cuts = new Set([slice.offset, end]);
  for (const { from, to } of changes) for (const p of [from, to]) if (p > slice.offset && p < end) cuts.add(p);
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted
    .slice(1)
    .map((to, i) => ({ buffer: slice.buffer, offset: sorted[i] ?? 0, length: to - (sorted[i] ?? 0) }));
}

/** The last device of a non-empty set. */
export const lastRank = (ranks: RankSet): DeviceIndex => ranks.toString(2).length - 1;

export const countRanks = (ranks: RankSet): number => {
  let count = 0;
  for (let rest = ranks; rest !== NO_RANKS; rest &= rest - 1n) count++;
  return count;
};
