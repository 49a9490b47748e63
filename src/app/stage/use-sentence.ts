/**
 * What is said at the cursor: the sentence of its moment, and why. What the pointer is on has its say first, then what
 * is pinned, then a single event at which the cursor rests in the midst of a moment; these are sentences of one event.
 * While the ranks hang, that is what happens now.
 */
import { useMemo } from 'react';
import type { StepTrace } from '../../protocol/trace';
import { lastOf, momentAt } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import { standstillSentence } from '../failures/standstill-words';
import { useSettled } from '../state/use-app';
import { useStageWords } from '../terms/use-stage-words';

export interface Said {
  /** Layers and buckets are marked (trace/moments/marked); '' before anything has run. */
  readonly sentence: string;
  readonly why: string | undefined;
}

export function useSentence(everyMs: number): Said {
  const words = useStageWords();
  const [trace, event, alone, clock, stands] = useSettled(
    ({ cursor, cursorFraction, traces, hovered, pinned, clock: on, standstill }) => {
      const at = cursor && traces[cursor.trace];
      const picked = hovered ?? pinned;
      const single = at && cursor && picked === undefined && cursorFraction === 1 && isWithin(at, cursor.event);
      const said = standstill && hovered === undefined ? standstillSentence(standstill) : undefined;
      return [at, picked ?? cursor?.event ?? -1, picked !== undefined || single === true, on, said] as const;
    },
    everyMs,
  );
  return useMemo((): Said => {
    if (stands !== undefined) return { sentence: stands, why: undefined };
    if (!trace || !words) return { sentence: '', why: undefined };
    if (words === 'missing') return { sentence: MISSING, why: undefined };
    if (alone) return { sentence: words.sentenceOf(trace, event, clock), why: undefined };
    const moment = momentAt(momentsOf(trace), event);
    return { sentence: words.sentenceAt(trace, event, clock), why: moment && words.whyOf(trace, moment, clock) };
  }, [trace, event, alone, clock, stands, words]);
}

const MISSING = 'The sentence for this moment could not be downloaded: check the connection and reload the page';

/** It is not the last of its moment: a cursor that rests there was sent to that single event. */
function isWithin(trace: StepTrace, event: number): boolean {
  const moment = momentAt(momentsOf(trace), event);
  return moment !== undefined && lastOf(moment) !== event;
}
