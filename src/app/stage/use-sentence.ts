/**
 * The sentence for the event at the cursor; what the pointer is on has its say first, then what is pinned. While the
 * ranks stand still, that is what happens now.
 */
import { sentenceOf } from '../../trace/sentence';
import { standstillSentence } from '../failures/standstill-words';
import { useSettled } from '../state/use-app';

export function useSentence(everyMs: number): string {
  return useSettled(({ cursor, traces, hovered, pinned, clock, standstill }) => {
    if (standstill && hovered === undefined) return standstillSentence(standstill);
    const trace = cursor && traces[cursor.trace];
    return trace ? sentenceOf(trace, hovered ?? pinned ?? cursor.event, clock) : '';
  }, everyMs);
}
