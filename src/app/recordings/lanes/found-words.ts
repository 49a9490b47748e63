/** The selection or match on a recorded timeline: its time, and one line of words. Pure. */
import type { Recording } from '../../../recordings/recording';
import type { RecordingAnalysis } from '../../../recordings/recording-analysis';
import type { Interval } from '../../../trace/intervals';
import { stretchOf } from './recorded-model';
import type { FoundAt } from './recorded-scene-types';
import { rankIndexOf } from './recorded-selection';
import { tipOf } from './recorded-words';

export function stretchOfFound(recording: Recording, found: FoundAt): Interval {
  if (found.kind === 'span') return stretchOf(recording, found.at);
  return found.kind === 'idle' ? found.gap : found.stretch;
}

export function rankOfFound(recording: Recording, found: FoundAt): number {
  const index = rankIndexOf(found);
  return recording.ranks[index]?.rank ?? index;
}

/** The words for a screen reader. */
export function spoken(recording: Recording, analysis: RecordingAnalysis, found: FoundAt): string {
  const { title, facts } = tipOf(recording, analysis, found);
  const words = facts.map(([name, value]) => `${name} ${value}`);
  return [`Rank ${rankOfFound(recording, found)}: ${title}`, ...words].join('; ');
}
