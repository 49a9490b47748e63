/**
 * What is said at the cursor: the sentence of its moment, and why. What the pointer is on has its say first, then what
 * is pinned, then a single event at which the cursor rests in the midst of a moment; these are sentences of one event.
 * While the ranks hang, that is what happens now.
 */
import { useMemo } from 'react';
import { lastOf, momentAt } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import type { App } from '../state/app-state';
import { useTimely } from '../state/timely';
import { useStageWords } from '../terms/use-stage-words';

export interface Said {
  /** Layers and buckets are marked (trace/moments/marked); '' before anything has run. */
  readonly sentence: string;
  readonly why: string | undefined;
}

export function useSentence(everyMs: number): Said {
  const words = useStageWords();
  const [trace, event, alone, clock, stands] = useTimely(placeOf, everyMs);
  return useMemo((): Said => {
    if (words === 'missing') return { sentence: MISSING, why: undefined };
    if (words && stands) return { sentence: words.standstillSentence(stands), why: undefined };
    if (!words || !trace) return { sentence: '', why: undefined };
    if (alone) return { sentence: words.sentenceOf(trace, event, clock), why: undefined };
    const moment = momentAt(momentsOf(trace), event);
    return { sentence: words.sentenceAt(trace, event, clock), why: moment && words.whyOf(trace, moment, clock) };
  }, [trace, event, alone, clock, stands, words]);
}

/** Of a moment its last event, so that it is one place however far the moment is. */
function placeOf({ cursor, cursorFraction, traces, hovered, pinned, clock, standstill }: App) {
  const at = cursor && traces[cursor.trace];
  const picked = hovered ?? pinned;
  const moment = at && cursor && picked === undefined ? momentAt(momentsOf(at), cursor.event) : undefined;
  // Not the last of its moment: a cursor that rests there was sent to that single event.
  const single = moment !== undefined && cursorFraction === 1 && lastOf(moment) !== cursor?.event;
  const ofMoment = moment && !single ? lastOf(moment) : cursor?.event;
  const stands = hovered === undefined ? standstill : undefined;
  return [at, picked ?? ofMoment ?? -1, picked !== undefined || single, clock, stands] as const;
}

const MISSING = 'The sentence for this moment could not be downloaded: check the connection and reload the page';
