/**
 * Finds events of a step by what a reader calls them: layer 4, bucket 1, rank 2, backward, round 3, linear, any part of
 * a kernel's name. Words are joined by "and". Pure; called by the timeline's search field.
 */
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { deviceName, kernelWords, moduleWords } from '../../trace/words';
import { eventLabels } from './event-label';

/** 'rank 2' is one thing, and 'rank 2' is not 'rank 21'. */
const NUMBERED = /\b(rank|cuda|worker|layer|bucket|chunk|round|forward|backward)[ :]?(\d+)\b/g;

function namesOf(trace: StepTrace, e: TraceEvent): string {
  const { collective } = e;
  const names = [
    e.name,
    e.name.split('/').at(-1),
    kernelWords(e.name),
    ...eventLabels(e),
    e.phase,
    e.kind,
    e.module,
    e.module && moduleWords(e.module),
    `rank ${e.rank}`,
    `cuda:${e.device}`,
    deviceName(trace, e.device),
    e.bucket === undefined ? '' : `bucket ${e.bucket}`,
    e.payload ?? '',
    e.slice?.buffer ?? '',
    ...(collective ? [collective.op, collective.part ?? '', collective.algorithm] : []),
    collective?.chunk === undefined ? '' : `chunk ${collective.chunk}`,
    collective?.round === undefined ? '' : `round ${collective.round + 1}`,
  ];
  return ` ${names.filter(Boolean).join(' | ').toLowerCase()} `.replaceAll(NUMBERED, '$1-$2');
}

const WHOLE_WORD = /-\d+$/;

/** Each word begins a word of the event's names; a numbered one is a whole one. */
function matcher(query: string): ((names: string) => boolean) | undefined {
  const words = query.toLowerCase().replaceAll(NUMBERED, '$1-$2').split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const patterns = words.map((word) => {
    const numbered = WHOLE_WORD.test(word) || /^\d+$/.test(word);
    return new RegExp(`(?<![a-z0-9])${escaped(word)}${numbered ? '(?![0-9])' : ''}`);
  });
  return (names) => patterns.every((pattern) => pattern.test(names));
}

/** Indices of the events that a query finds, in the order of the trace; undefined: nothing is asked for. */
export function searchEvents(trace: StepTrace, query: string): readonly number[] | undefined {
  const matches = matcher(query);
  return matches && trace.events.flatMap((e, index) => (matches(namesOf(trace, e)) ? [index] : []));
}

/** The match after, or before, a place; from the end it goes on at the beginning. */
export function nextMatch(matches: readonly number[], from: number | undefined, step: 1 | -1): number | undefined {
  if (from === undefined) return step > 0 ? matches[0] : matches.at(-1);
  return step > 0
    ? (matches.find((m) => m > from) ?? matches[0])
    : (matches.findLast((m) => m < from) ?? matches.at(-1));
}
