/**
 * The sentence shown at the cursor, and its reason. In order of priority: the hovered event, the pinned event, a single
 * event at which the cursor rests within a moment (each a sentence of one event), and the cursor's moment. While the
 * ranks hang, the sentence is about the standstill.
 */
import { useMemo } from 'react';
import { lastOf, momentAt } from '../../trace/moments/moment';
import { momentsOf } from '../../trace/moments/moments';
import type { App } from '../state/app-state';
import { useTimely } from '../state/timely';
import { useStageWords } from '../terms/use-stage-words';

export interface Said {
  /** The sentence, with layers and buckets marked (trace/moments/marked); '' before a step has run. */
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

/** The cursor's event; within a moment the moment's last event, so that the place stays the same during the moment. */
function placeOf({ cursor, cursorFraction, traces, hovered, pinned, clock, standstill }: App) {
  const at = cursor && traces[cursor.trace];
  const picked = hovered ?? pinned;
  const moment = at && cursor && picked === undefined ? momentAt(momentsOf(at), cursor.event) : undefined;
  // A cursor that rests at an event that is not its moment's last was sent to that single event.
  const single = moment !== undefined && cursorFraction === 1 && lastOf(moment) !== cursor?.event;
  const ofMoment = moment && !single ? lastOf(moment) : cursor?.event;
  const stands = hovered === undefined ? standstill : undefined;
  return [at, picked ?? ofMoment ?? -1, picked !== undefined || single, clock, stands] as const;
}

const MISSING = 'The sentence for this moment could not be downloaded: check the connection and reload the page';
