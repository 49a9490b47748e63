/**
 * Finds events of a step by words: layer 4, bucket 1, rank 2, backward, round 3, linear, any part of a kernel's name.
 * An event must match all words. Pure; called by the timeline's search field.
 */
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { bufferWords } from '../../trace/buffer-words';
import { deviceName, kernelWords, moduleWords } from '../../trace/words';
import { eventLabels } from '../lanes/event-label';
import { searchable, wordsMatcher } from '../lanes/search-words';

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
    e.module ? moduleWords(e.module) : '',
    `rank ${e.rank}`,
    `cuda:${e.device}`,
    deviceName(trace, e.device),
    e.bucket === undefined ? '' : `bucket ${e.bucket}`,
    e.payload ?? '',
    e.slice?.buffer ?? '',
    bufferWords(e.slice?.buffer ?? ''),
    ...(collective ? [collective.op, collective.part ?? '', collective.algorithm] : []),
    collective?.chunk === undefined ? '' : `chunk ${collective.chunk}`,
    collective?.round === undefined ? '' : `round ${collective.round + 1}`,
  ];
  return searchable(names);
}

/** The indices of the events that match a query, in the order of the trace; undefined for an empty query. */
export function searchEvents(trace: StepTrace, query: string): readonly number[] | undefined {
  const matches = wordsMatcher(query);
  return matches && trace.events.flatMap((e, index) => (matches(namesOf(trace, e)) ? [index] : []));
}
