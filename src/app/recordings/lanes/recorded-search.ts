/**
 * Finds spans of a recording by a part of their name, their kind, "rank 2" or "step 5". Each name is tested once,
 * however many spans have it. Pure.
 */
import type { Recording } from '../../../recordings/recording';
import { SPAN_KINDS } from '../../../recordings/spans';
import type { Matches } from '../../lanes/search-field';
import { searchable, wordsMatcher } from '../../lanes/search-words';
import type { SpanAt } from './recorded-scene-types';
import { shortName } from './tones';

/** At most MOST are listed. */
export interface RecordedMatches extends Matches<SpanAt> {
  has(rank: number, lane: number, span: number): boolean;
}

/** The most matches that are kept to step through. */
const MOST = 20_000;

/** Undefined for an empty query. */
export function searchRecording({ ranks }: Recording, query: string): RecordedMatches | undefined {
  const matches = wordsMatcher(query);
  if (!matches) return undefined;
  let count = 0;
  const list: (SpanAt & { readonly startUs: number })[] = [];
  const marked = new Map<string, Uint8Array>();
  ranks.forEach((owner, rank) => {
    owner.lanes.forEach(({ spans, role }, lane) => {
      const known = new Map<number, boolean>();
      const hits = new Uint8Array(spans.count);
      for (let span = 0; span < spans.count; span++) {
        const key = (spans.name[span] ?? 0) * SPAN_KINDS.length + (spans.kind[span] ?? 0);
        let hit = known.get(key);
        if (hit === undefined) {
          const name = owner.strings[spans.name[span] ?? 0] ?? '';
          const kind = SPAN_KINDS[spans.kind[span] ?? 0];
          hit = matches(searchable([name, shortName(name), kind, role, `rank ${owner.rank}`]));
          known.set(key, hit);
        }
        if (!hit) continue;
        hits[span] = 1;
        count++;
        if (list.length < MOST) list.push({ rank, lane, span, collective: -1, startUs: spans.startUs[span] ?? 0 });
      }
      marked.set(`${rank} ${lane}`, hits);
    });
  });
  list.sort((a, b) => a.startUs - b.startUs);
  return { list, count, has: (rank, lane, span) => marked.get(`${rank} ${lane}`)?.[span] === 1 };
}
