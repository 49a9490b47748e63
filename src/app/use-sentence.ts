/** The sentence for the event at the cursor; what the pointer is on has its say first, then what is pinned. */
import { sentenceOf } from '../trace/sentence';
import { useSettled } from './use-app';

export function useSentence(everyMs: number): string {
  return useSettled(({ cursor, traces, hovered, pinned, clock }) => {
    const trace = cursor && traces[cursor.trace];
    return trace ? sentenceOf(trace, hovered ?? pinned ?? cursor.event, clock) : '';
  }, everyMs);
}
