/**
 * Finds where the ranks of a group diverge: the first collective that some call with another operation, size or type,
 * the first that some have not called, and one that only some have completed. Later differences of the same kind follow
 * from the first and are not reported. Called by `analyse-flight.ts`.
 */
import { callText, ranksText, sizesText } from '../recorded-numbers';
import type { RecordingRank } from '../recording';
import type { FlightMismatch } from '../recording-analysis';
import type { FlightEntry } from './flight-recording';
import { isDone, type OfGroup } from './groups';

interface Call {
  readonly rank: RecordingRank;
  readonly entry: FlightEntry;
}

export function differences({ ranks }: OfGroup): readonly FlightMismatch[] {
  const withCalls = ranks.filter(({ entries }) => entries.size > 0);
  // The recorder is a ring: older entries may be gone on some ranks.
  const from = Math.max(0, ...withCalls.map(({ entries }) => least(entries.keys())));
  const found: FlightMismatch[] = [];
  const isNew = (what: FlightMismatch['what']): boolean => !found.some((known) => known.what === what);
  for (const sequence of sequencesFrom(from, withCalls)) {
    const calls = ranks.flatMap(({ rank, entries }): Call[] => {
      const entry = entries.get(sequence);
      return entry ? [{ rank, entry }] : [];
    });
    const add = (what: FlightMismatch['what'], culprits: readonly RecordingRank[], text: string): void => {
      if (isNew(what)) found.push({ sequence, isP2p: false, what, ranks: culprits, text });
    };
    const parted = partedBy(calls, sequence);
    if (parted) {
      add(parted.what, parted.ranks, parted.text);
      // Sequence numbers no longer mean the same after ranks have called different operations.
      if (parted.what === 'operation') break;
    }
    const missing = ranks.filter(({ entries }) => !entries.has(sequence));
    const [caller] = calls;
    if (missing.length > 0 && caller) {
      const lacking = missing.map(({ rank }) => rank);
      const have = missing.length === 1 ? 'has' : 'have';
      const where = caller.entry.frames.find((frame) => !isLibrary(frame));
      const from1 = where === undefined ? '' : `, called in ${where}`;
      const text = `${ranksText(lacking)} ${have} not called collective ${sequence} (${callText(caller.entry)}${from1}); ${ranksText(calls.map(({ rank }) => rank))} called it. ${lastWords(missing)}`;
      add('missing', lacking, text);
    }
    const parts = missing.length === 0 ? inStates(calls) : undefined;
    if (parts) add('state', parts.behind, `collective ${sequence} (${callText(parts.entry)}) is ${parts.text}.`);
  }
  return found;
}

/** All sequence numbers that occur, in order; numbers in a file may be a million apart. */
const sequencesFrom = (from: number, ranks: OfGroup['ranks']): readonly number[] =>
  [...new Set(ranks.flatMap(({ entries }) => [...entries.keys()]))].filter((of) => of >= from).sort((a, b) => a - b);

function least(numbers: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY;
  for (const of of numbers) found = Math.min(found, of);
  return found;
}

function greatest(numbers: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY;
  for (const of of numbers) found = Math.max(found, of);
  return found;
}

/** A collective that only some ranks have completed or started; names the ranks furthest behind first. */
function inStates(
  calls: readonly Call[],
): { readonly behind: readonly RecordingRank[]; readonly entry: FlightEntry; readonly text: string } | undefined {
  const order = ['scheduled', 'started', 'completed'] as const;
  const stateOf = (entry: FlightEntry): (typeof order)[number] => (isDone(entry) ? 'completed' : entry.state);
  const groups = order
    .map((state) => ({ state, of: calls.filter(({ entry }) => stateOf(entry) === state) }))
    .filter(({ of }) => of.length > 0);
  const [first] = groups;
  const [call] = first?.of ?? [];
  if (!first || !call || groups.length < 2) return undefined;
  const text = groups.map(({ state, of }) => `${state} on ${ranksText(of.map(({ rank }) => rank))}`).join(', ');
  return { behind: first.of.map(({ rank }) => rank), entry: call.entry, text };
}

function lastWords(missing: OfGroup['ranks']): string {
  return missing
    .slice(0, 4)
    .map(({ rank, entries }) => {
      const last = greatest(entries.keys());
      const entry = entries.get(last);
      return entry
        ? `The last collective of rank ${rank} is number ${last}, ${callText(entry)}.`
        : `Rank ${rank} has called no collective of this group.`;
    })
    .join(' ');
}

const isLibrary = (frame: string): boolean => /[\\/](torch|multiprocessing|threading)[\\/.]|<string>/.test(frame);

/** Collectives in which ranks may have different sizes. */
const OWN_SIZES = new Set(['all_to_all', 'scatter', 'gather', 'coalesced', 'split']);
/** Collectives with a root, where inputs or outputs of the other ranks are empty. */
const ROOTED = new Set(['scatter', 'gather', 'broadcast', 'reduce']);

function partedBy(
  calls: readonly Call[],
  sequence: number,
):
  | { readonly what: 'operation' | 'size' | 'dtype'; readonly ranks: readonly RecordingRank[]; readonly text: string }
  | undefined {
  const tell = (what: 'operation' | 'size' | 'dtype', of: (entry: FlightEntry) => string) => {
    const groups = new Map<string, RecordingRank[]>();
    for (const { rank, entry } of calls) {
      const ranks = groups.get(of(entry));
      if (ranks) ranks.push(rank);
      else groups.set(of(entry), [rank]);
    }
    if (groups.size < 2) return undefined;
    // Names the smallest group first, because it is most often the wrong one.
    const bySize = [...groups].sort(([, a], [, b]) => a.length - b.length);
    const parts = bySize.map(
      ([value, ranks]) => `${ranksText(ranks)} ${ranks.length === 1 ? 'calls' : 'call'} ${value}`,
    );
    const text = `at collective ${sequence} the ranks call different ${WORDS[what]}: ${parts.join(', ')}.`;
    return { what, ranks: bySize.slice(0, -1).flatMap(([, ranks]) => ranks), text };
  };
  const operation = tell('operation', ({ kind }) => kind);
  if (operation) return operation;
  const [first] = calls;
  if (!first || OWN_SIZES.has(first.entry.kind)) return undefined;
  const isRooted = ROOTED.has(first.entry.kind);
  return (
    tell('size', (entry) => `${entry.kind} of ${sizesText(isRooted ? larger(entry) : entry.inputSizes)}`) ??
    tell('dtype', (entry) => `${entry.kind} of ${(isRooted ? entry.outputDtypes : entry.inputDtypes).join(', ')}`)
  );
}

const WORDS = { operation: 'operations', size: 'sizes', dtype: 'types' } as const;

const elements = (sizes: FlightEntry['inputSizes']): number =>
  sizes.reduce((sum, size) => sum + size.reduce((product, of) => product * of, 1), 0);

const larger = ({ inputSizes, outputSizes }: FlightEntry): FlightEntry['inputSizes'] =>
  elements(inputSizes) >= elements(outputSizes) ? inputSizes : outputSizes;
