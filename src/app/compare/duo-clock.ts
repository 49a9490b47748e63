/**
 * Two steps on one clock: both begin at 0, and a time gives the position of a walking cursor in each step, even if one
 * of them is over. A step may have several micro-batches, each with its own trace. Pure.
 */
import type { Clock, StepTrace } from '../../protocol/trace';
import { totalUs } from '../../trace/lanes';
import type { Position } from '../../trace/moments/moment';
import { type Stride, stopsOf } from '../../trace/position';
import { createWalkTime } from '../../trace/walk-time';

export interface DuoPlace extends Position {
  readonly trace: StepTrace;
}

/** The step of one run. */
export interface Track {
  readonly traces: readonly StepTrace[];
  readonly totalUs: number;
  placeAt(timeUs: number): DuoPlace | undefined;
  /** The times at which the step's moments or phases end, ascending. */
  stops(stride: Stride): readonly number[];
}

/** A cursor at fraction 1 rests at a single event, so a walking cursor stays below 1. */
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

/** Times closer than this share of the whole count as equal. */
const NEAR = 1e-7;

export const endOf = (tracks: readonly Track[]): number => Math.max(0, ...tracks.map((track) => track.totalUs));

/** The next end of a moment or phase in either step; without one, the end of the longer step. */
export function nextTime(tracks: readonly Track[], timeUs: number, stride: Stride): number {
  const end = endOf(tracks);
  const next = tracks.map((track) => track.stops(stride).find((stop) => stop > timeUs + NEAR * end));
  return Math.min(end, ...next.filter((stop) => stop !== undefined));
}

/** The previous end of a moment or phase in either step; 0 without one. */
export function previousTime(tracks: readonly Track[], timeUs: number, stride: Stride): number {
  const end = endOf(tracks);
  const before = tracks.map((track) => track.stops(stride).findLast((stop) => stop < timeUs - NEAR * end));
  return Math.max(0, ...before.filter((stop) => stop !== undefined));
}
