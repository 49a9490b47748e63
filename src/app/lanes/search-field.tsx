/** The search of lanes over time: its field, how many events match and which one is selected, next and previous. */
import type { KeyboardEvent } from 'react';
import { nextMatch, type SelectedMatch } from './search-words';
import styles from './tools.module.css';
import type { Lanes } from './use-lanes';

export interface Matches<Match> {
  /** In order of time. */
  readonly list: readonly Match[];
  /** May be more than are listed. */
  readonly count: number;
}

interface SearchFieldProps<Match> {
  readonly lanes: Pick<Lanes<unknown>, 'field' | 'focus'>;
  /** Examples of words to search for. */
  readonly hint: string;
  readonly query: string;
  /** Undefined for an empty query. */
  readonly matches: Matches<Match> | undefined;
  /** Undefined if nothing is selected. */
  readonly selected: SelectedMatch<Match> | undefined;
  readonly onQuery: (query: string) => void;
  readonly onFound: (match: Match) => void;
}

function foundWords(count: number, place: number): string {
  if (count === 0) return 'nothing found';
  return place < 0 ? `${count} found` : `${place + 1} of ${count}`;
}

export function SearchField<Match>(props: SearchFieldProps<Match>) {
  const { lanes, hint, query, matches, selected, onQuery, onFound } = props;
  const step = (by: 1 | -1) => {
    const next = matches && nextMatch(matches.list, selected, by);
    if (next !== undefined) onFound(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') {
      onQuery('');
      lanes.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className={styles['search']}>
      <input
        ref={lanes.field}
        type="search"
        aria-label="Search the timeline"
        placeholder={hint}
        spellCheck={false}
        value={query}
        onChange={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {matches && (
        <>
          <span role="status" aria-label="Matches">
            {foundWords(matches.count, selected ? matches.list.findIndex(selected.is) : -1)}
          </span>
          <button type="button" aria-label="Previous match" disabled={matches.count === 0} onClick={() => step(-1)}>
            ↑
          </button>
          <button type="button" aria-label="Next match" disabled={matches.count === 0} onClick={() => step(1)}>
            ↓
          </button>
        </>
      )}
    </search>
  );
}
