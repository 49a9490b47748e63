/**
 * The search field of a recorded timeline: shows which match is selected, and moves to the next or the previous one.
 */
import type { Ref } from 'react';
import { SearchField } from '../../lanes/search-field';
import type { FoundAt, SpanAt } from './recorded-scene-types';
import type { RecordedMatches } from './recorded-search';
import { foundId } from './recorded-selection';

interface RecordedSearchFieldProps {
  readonly field: Ref<HTMLInputElement>;
  readonly query: string;
  readonly matches: RecordedMatches | undefined;
  readonly selected: FoundAt | undefined;
  readonly onQuery: (query: string) => void;
  readonly onFound: (at: SpanAt) => void;
  /** Moves the focus back to the lanes. */
  readonly onLeave: () => void;
}

export function RecordedSearchField(props: RecordedSearchFieldProps) {
  const { field, query, matches, selected, onQuery, onFound, onLeave } = props;
  const place = placeIn(matches, selected);
  const step = (by: 1 | -1) => {
    const next = matches?.list[placeBeside(matches.list.length, place, by)];
    if (next) onFound(next);
  };
  return (
    <SearchField
      field={field}
      hint="search: all_reduce, linear, rank 2 …"
      query={query}
      found={matches && { count: matches.count, place }}
      onQuery={onQuery}
      onStep={step}
      onLeave={onLeave}
    />
  );
}

/** The index of the selected match. */
function placeIn(matches: RecordedMatches | undefined, selected: FoundAt | undefined): number | undefined {
  if (!matches || selected?.kind !== 'span') return undefined;
  const place = matches.list.findIndex((at) => foundId({ kind: 'span', at }) === foundId(selected));
  return place < 0 ? undefined : place;
}

/** The match after or before this place; without a place, the first or the last match. */
function placeBeside(count: number, place: number | undefined, by: 1 | -1): number {
  if (place === undefined) return by > 0 ? 0 : count - 1;
  return (place + by + count) % count;
}
