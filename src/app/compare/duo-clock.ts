/**
 * Two steps on one clock: both begin at 0, and a time leads to where a walking cursor is in each of them, be one of
 * them over or not. A step may have several micro-batches, each with a trace of its own, one after the other. Pure.
 */
import type { Clock, StepTrace } from '../../protocol/trace';
import { totalUs } from '../../trace/lanes';
import type { Position } from '../../trace/moments/moment';
import { type Stride, stopsOf } from '../../trace/position';
import { createWalkTime } from '../../trace/walk-time';

export interface DuoPlace extends Position {
  readonly trace: StepTrace;
}

/** One run's step. */
export interface Track {
  readonly traces: readonly StepTrace[];
  readonly totalUs: number;
  placeAt(timeUs: number): DuoPlace | undefined;
  /** When its moments or phases end, ascending. */
  stops(stride: Stride): readonly number[];
}

/** A cursor at fraction 1 rests at a single event; one that walks is in the midst of a moment. */
const ALMOST = 1 - 1e-9;

export function createTrack(traces: readonly StepTrace[], clock: Clock): Track {
  let total = 0;
  const parts = traces.map((trace) => {
    const part = {
      trace,
      walk: createWalkTime(trace, clock),
      rests: new Set(stopsOf(trace, 'moment')),
      fromUs: total,
    };
    total += totalUs(trace, clock);
    return part;
  });
  const stops = new Map<Stride, readonly number[]>();
  return {
    traces,
    totalUs: total,
    placeAt(timeUs) {
      const part = parts.findLast(({ fromUs }) => fromUs < timeUs) ?? parts[0];
      if (!part) return undefined;
      const { trace, walk, rests, fromUs } = part;
      const { event, fraction } = walk.positionAt(timeUs - fromUs);
      if (event < 0) return { trace, event, fraction: 1 };
      if (fraction < ALMOST) return { trace, event, fraction };
      return { trace, event, fraction: rests.has(event) ? 1 : ALMOST };
    },
    stops(stride) {
      const known = stops.get(stride);
      if (known) return known;
      const found = parts.flatMap(({ trace, walk, fromUs }) =>
        stopsOf(trace, stride).map((event) => fromUs + walk.timeOf({ event, fraction: 1 })),
      );
      stops.set(stride, found);
      return found;
    },
  };
}

/** What is nearer than this share of the whole is the same time. */
const NEAR = 1e-7;

export const endOf = (tracks: readonly Track[]): number => Math.max(0, ...tracks.map((track) => track.totalUs));

/** The end of what comes next in either of them; the end of the longer one where nothing does. */
export function nextTime(tracks: readonly Track[], timeUs: number, stride: Stride): number {
  const end = endOf(tracks);
  const next = tracks.map((track) => track.stops(stride).find((stop) => stop > timeUs + NEAR * end));
  return Math.min(end, ...next.filter((stop) => stop !== undefined));
}

/** The end of what was before in either of them; 0 where nothing was. */
export function previousTime(tracks: readonly Track[], timeUs: number, stride: Stride): number {
  const end = endOf(tracks);
  const before = tracks.map((track) => track.stops(stride).findLast((stop) => stop < timeUs - NEAR * end));
  return Math.max(0, ...before.filter((stop) => stop !== undefined));
}
