/** The search field of the timeline: shows which match is selected, and moves to the next or the previous one. */
import type { Ref } from 'react';
import { SearchField } from '../lanes/search-field';
import { nextMatch } from '../lanes/search-words';
import type { Selection } from './selection';

interface TimelineSearchFieldProps {
  readonly field: Ref<HTMLInputElement>;
  readonly query: string;
  /** The matching events; undefined for an empty query. */
  readonly matches: readonly number[] | undefined;
  readonly selection: Selection | undefined;
  readonly onQuery: (query: string) => void;
  readonly onFound: (found: Selection) => void;
  /** Moves the focus back to the lanes. */
  readonly onLeave: () => void;
}

export function TimelineSearchField(props: TimelineSearchFieldProps) {
  const { field, query, matches, selection, onQuery, onFound, onLeave } = props;
  const step = (by: 1 | -1) => {
    const event = matches && nextMatch(matches, selection?.kind === 'event' ? selection.event : undefined, by);
    if (event !== undefined) onFound({ kind: 'event', event });
  };
  return (
    <SearchField
      field={field}
      hint="search: layer 4, bucket 1, rank 2 …"
      query={query}
      found={matches && { count: matches.length, place: placeIn(matches, selection) }}
      onQuery={onQuery}
      onStep={step}
      onLeave={onLeave}
    />
  );
}

/** The index of the selected match. */
function placeIn(matches: readonly number[], selection: Selection | undefined): number | undefined {
  const place = selection?.kind === 'event' ? matches.indexOf(selection.event) : -1;
  return place < 0 ? undefined : place;
}
