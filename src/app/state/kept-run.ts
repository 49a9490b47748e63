/**
 * How the store keeps a run's events: the last traces and the cursor, losses and evaluations thinned to a bounded
 * history, and what is dropped when steps run again. Pure functions from a state to its changes; store.ts calls them.
 */
import { stepOf } from '../../protocol/micro-batches';
import type { Snapshot } from '../../protocol/snapshot';
import type { LossRecord, StepTrace } from '../../protocol/trace';
import { byMoments } from '../../trace/moments/moments';
import type { AppState, Cursor } from './app-state';
import { withDifference } from './difference-history';
import { withText } from './text-history';

export const KEPT_TRACES = 64;

const KEPT_RECORDS = 4000;

/** Keeps a long history bounded and evenly spaced over the run: one record for each stretch, and the newest. */
export function thin<T>(records: readonly T[], placeOf: (record: T) => number): readonly T[] {
  const placeAt = (index: number): number => {
    const record = records.at(index);
    return record === undefined ? 0 : placeOf(record);
  };
  const newest = placeAt(-1);
  const stretch = 2 ** Math.max(0, Math.ceil(Math.log2((newest + 1) / KEPT_RECORDS)));
  if (stretch === 1) return records;
  const place = (index: number) => Math.floor(placeAt(index) / stretch);
  return records.filter((_, index) => index === 0 || index === records.length - 1 || place(index) !== place(index - 1));
}

export const isConstruct = ({ kind }: StepTrace): boolean => kind.type === 'construct';

/** Drops everything in the state that is later than the run's micro-batch. */
export function keptBefore(s: AppState, microBatch: number): Partial<AppState> {
  const kept: { -readonly [K in keyof AppState]?: AppState[K] } = {};
  const step = stepOf(microBatch, s.info?.config ?? s.config);
  const past = ({ step: own }: { readonly step: number }) => own <= step;
  if ((s.losses.at(-1)?.microBatch ?? -1) >= microBatch)
    kept.losses = s.losses.filter((record) => record.microBatch < microBatch);
  if ((s.evaluations.at(-1)?.step ?? -1) > step) kept.evaluations = s.evaluations.filter(past);
  if ((s.differences.at(-1)?.step ?? -1) > step) kept.differences = s.differences.filter(past);
  if ((s.texts.at(-1)?.step ?? -1) > step) kept.texts = s.texts.filter(past);
  if ((s.traces.at(-1)?.microBatch ?? -1) < microBatch) return kept;
  const traces = s.traces.filter((trace) => trace.microBatch < microBatch);
  const last = traces.length - 1;
  const gone = s.cursor !== undefined && s.cursor.trace > last;
  return {
    ...kept,
    traces,
    ...(gone
      ? {
          cursor: last < 0 ? undefined : { trace: last, event: (traces[last]?.events.length ?? 0) - 1 },
          cursorFraction: 1,
          hovered: undefined,
          pinned: undefined,
        }
      : {}),
  };
}

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/** Nothing has run. */
export const NOTHING_RAN = {
  standstill: undefined,
  traces: [],
  cursor: undefined,
  cursorFraction: 1,
  hovered: undefined,
  pinned: undefined,
  losses: [],
  snapshot: undefined,
  evaluations: [],
  differences: [],
  texts: [],
  stepsPerSecond: 0,
} satisfies Partial<AppState>;

/** The cursor before the first kept trace. */
const AT_BEGINNING = {
  cursor: { trace: 0, event: -1 },
  cursorFraction: 1,
  hovered: undefined,
  pinned: undefined,
} satisfies Partial<AppState>;

/** Adds a trace; the cursor stays on its trace as long as that trace is kept. */
export function withTrace(s: AppState, trace: StepTrace): Partial<AppState> {
  // After a restart steps run again, and their traces replace the old ones.
  const before = s.traces.filter((kept) => kept.microBatch < trace.microBatch);
  const dropped = Math.max(0, before.length + 1 - KEPT_TRACES);
  const [construct] = before.filter(isConstruct);
  const steps = [...before, byMoments(trace)].slice(dropped);
  // The constructor runs only once, so its trace is never dropped for a step's.
  const traces = construct && dropped > 0 ? [construct, ...steps.slice(1)] : steps;
  const cursor = s.cursor && { ...s.cursor, trace: s.cursor.trace - dropped };
  if (cursor && cursor.trace >= 0 && s.cursor && s.cursor.trace < before.length) return { traces, cursor };
  return { traces, ...AT_BEGINNING };
}

/** Replaces the trace of a step that was computed again; the cursor stays where it is. */
export function withTraceReplaced(s: AppState, trace: StepTrace): Partial<AppState> {
  const last = trace.events.length - 1;
  const cursor = s.cursor && { trace: 0, event: Math.min(s.cursor.event, last) };
  return { traces: [byMoments(trace)], ...(cursor ? { cursor } : AT_BEGINNING) };
}

export function withConstruct(s: AppState): Partial<AppState> {
  const { info } = s;
  if (!info?.construct) return s;
  const traces = s.traces.some(isConstruct) ? s.traces : [byMoments(info.construct), ...s.traces];
  return { traces, ...AT_BEGINNING };
}

export function withLosses(s: AppState, records: readonly LossRecord[], stepsPerSecond: number): Partial<AppState> {
  const first = records[0]?.microBatch ?? 0;
  const overtaken = (s.losses.at(-1)?.microBatch ?? -1) >= first;
  const before = overtaken ? s.losses.filter((record) => record.microBatch < first) : s.losses;
  return {
    microBatch: (records.at(-1)?.microBatch ?? s.microBatch - 1) + 1,
    losses: thin([...before, ...records], (record) => record.microBatch),
    // A sampled step has no rate, so the last rate stays.
    stepsPerSecond: stepsPerSecond || s.stepsPerSecond,
  };
}

export function withSnapshot(s: AppState, snapshot: Snapshot): Partial<AppState> {
  const { step, trainLoss, testLoss, trainAccuracy, testAccuracy } = snapshot;
  const before = s.evaluations.filter((kept) => kept.step < step);
  const evaluation = { step, trainLoss, testLoss, trainAccuracy, testAccuracy };
  const evaluations = thin([...before, evaluation], (kept) => kept.step);
  const value = snapshot.differenceFromSingle;
  const differences = value === undefined ? s.differences : withDifference(s.differences, { step, value });
  return { snapshot, evaluations, differences, texts: withText(s.texts, snapshot) };
}

export function withCursor(s: AppState, { trace, event }: Cursor, fraction: number): Partial<AppState> {
  const kept = s.traces[clamp(trace, 0, s.traces.length - 1)];
  if (!kept) return s;
  const index = s.traces.indexOf(kept);
  const at = clamp(event, -1, kept.events.length - 1);
  const same = s.cursor?.trace === index && s.cursor.event === at;
  const cursorFraction = clamp(fraction, 0, 1);
  // With reduced motion the cursor stays at a moment for a while, so nothing is redrawn.
  if (same && s.cursorFraction === cursorFraction) return s;
  const leaves = s.cursor !== undefined && s.cursor.trace !== index;
  return {
    cursor: same && s.cursor ? s.cursor : { trace: index, event: at },
    cursorFraction,
    ...(leaves ? { hovered: undefined, pinned: undefined } : {}),
  };
}
