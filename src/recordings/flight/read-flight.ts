/**
 * A flight recorder dump as FlightRank: of torch's JSON (`_dump_fr_trace_json`), of its pickle
 * (torch/csrc/distributed/c10d/FlightRecorderDetail.hpp, version 2.x), or as Lockstep writes it. Values may be Maps
 * (pickle) or objects (JSON). Called by `file-reader.ts` and
 * `read-json.ts`.
 */
import { lookup } from '../../base/lookup';
import type { RecordingRank } from '../recording';
import { ranksOf } from '../traces/collective-facts';
import { collectiveKind } from '../traces/collective-names';
import type { FlightEntry, FlightRank, FlightRecording } from './flight-recording';

/** A dump whose times still count from 1970. */
export interface FlightRankDraft extends Omit<FlightRank, 'rank'> {
  readonly rank: RecordingRank | undefined;
  /** Number of unreadable entries. */
  readonly leftOut: number;
}

const MOST_ENTRIES = 1_000_000;
const MOST_FRAMES = 12;
const MOST_TENSORS = 10_000;

export function flightDraft(
  file: string,
  rank: RecordingRank | undefined,
  dump: { readonly version: unknown; readonly groups: unknown; readonly entries: readonly unknown[] },
): FlightRankDraft {
  const entries = dump.entries.slice(0, MOST_ENTRIES).map(entryOf);
  const read = entries.filter((entry) => entry !== undefined);
  return {
    rank,
    file,
    version: text(dump.version),
    groups: groupsOf(dump.groups),
    entries: read.sort((a, b) => a.recordId - b.recordId),
    leftOut: dump.entries.length - read.length,
  };
}

function entryOf(value: unknown): FlightEntry | undefined {
  const name = text(get(value, 'profiling_name'));
  const recordId = number(get(value, 'record_id'));
  if (name === '' || recordId === undefined) return undefined;
  const [group, description] = list(get(value, 'process_group')).map(text);
  const state = text(get(value, 'state'));
  const us = (key: string): number | undefined => {
    const ns = number(get(value, key));
    return ns === undefined || ns === 0 ? undefined : ns / 1000;
  };
  return {
    recordId,
    group: group ?? '',
    groupDescription: description ?? '',
    collectiveSeqId: number(get(value, 'collective_seq_id')) ?? 0,
    p2pSeqId: number(get(value, 'p2p_seq_id')) ?? 0,
    isP2p: get(value, 'is_p2p') === true,
    profilingName: name,
    kind: collectiveKind(name.replace(/^\w+:/, '').replace(/ .*$/, '')),
    inputSizes: sizes(get(value, 'input_sizes')),
    outputSizes: sizes(get(value, 'output_sizes')),
    inputDtypes: list(get(value, 'input_dtypes')).map(text),
    outputDtypes: list(get(value, 'output_dtypes')).map(text),
    state: state === 'completed' || state === 'started' ? state : 'scheduled',
    retired: get(value, 'retired') === true,
    createdUs: us('time_created_ns') ?? 0,
    startedUs: us('time_discovered_started_ns'),
    completedUs: us('time_discovered_completed_ns'),
    timeoutMs: number(get(value, 'timeout_ms')) ?? 0,
    frames: list(get(value, 'frames')).slice(0, MOST_FRAMES).map(frameText),
  };
}

/** "main at /job/train.py:42", innermost first as torch has them. */
function frameText(frame: unknown): string {
  return `${text(get(frame, 'name'))} at ${text(get(frame, 'filename'))}:${number(get(frame, 'line')) ?? '?'}`;
}

function groupsOf(config: unknown): FlightRank['groups'] {
  const groups = config instanceof Map ? [...config.values()] : Object.values(isObject(config) ? config : {});
  return groups.flatMap((group: unknown) => {
    const name = text(get(group, 'name'));
    const ranks = ranksOf(get(group, 'ranks'), undefined);
    // gloo's dumps have one without a name or ranks.
    return name === '' || !ranks || ranks.length === 0
      ? []
      : [{ group: name, description: text(get(group, 'desc')), ranks }];
  });
}

/** Numbers ranks without a number, and counts times from the first entry. */
export function flightRecording(drafts: readonly FlightRankDraft[]): FlightRecording | undefined {
  if (drafts.length === 0) return undefined;
  const taken = new Set(drafts.map(({ rank }) => rank));
  let free = 0;
  const seen = new Set<RecordingRank>();
  let zeroUs = Number.POSITIVE_INFINITY;
  for (const { entries } of drafts) for (const { createdUs } of entries) zeroUs = Math.min(zeroUs, createdUs);
  const ranks = drafts.map(({ leftOut: _, ...draft }): FlightRank => {
    let { rank } = draft;
    if (rank === undefined || seen.has(rank)) {
      while (taken.has(free)) free++;
      rank = free++;
    }
    seen.add(rank);
    const entries = draft.entries.map((entry) => ({
      ...entry,
      createdUs: entry.createdUs - zeroUs,
      startedUs: entry.startedUs === undefined ? undefined : entry.startedUs - zeroUs,
      completedUs: entry.completedUs === undefined ? undefined : entry.completedUs - zeroUs,
    }));
    return { ...draft, rank, entries };
  });
  return { ranks: ranks.sort((a, b) => a.rank - b.rank) };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of a dict, whether from a pickle or from JSON. */
export const get = (value: unknown, key: string): unknown =>
  value instanceof Map ? (value.get(key) as unknown) : isObject(value) ? lookup(value, key) : undefined;

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 500) : '');
const number = (value: unknown): number | undefined => {
  const plain = typeof value === 'bigint' ? Number(value) : value;
  return typeof plain === 'number' && Number.isFinite(plain) ? plain : undefined;
};
const sizes = (value: unknown): readonly (readonly number[])[] =>
  list(value)
    .slice(0, MOST_TENSORS)
    .map((size) =>
      list(size)
        .slice(0, 64)
        .map((of) => number(of) ?? 0),
    );
