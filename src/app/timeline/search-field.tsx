/** The search of the timeline: its field, how many events match and which one is selected, next and previous. */
import type { KeyboardEvent, Ref } from 'react';
import styles from './timeline-tools.module.css';

export interface SearchFieldProps {
  readonly field: Ref<HTMLInputElement>;
  readonly query: string;
  /** undefined: nothing is asked for. */
  readonly matches: readonly number[] | undefined;
  readonly selected: number | undefined;
  readonly onQuery: (query: string) => void;
  readonly onStep: (step: 1 | -1) => void;
  /** Back to the lanes. */
  readonly onLeave: () => void;
}

function found(matches: readonly number[], selected: number | undefined): string {
  const place = selected === undefined ? -1 : matches.indexOf(selected);
  if (matches.length === 0) return 'nothing found';
  return place < 0 ? `${matches.length} found` : `${place + 1} of ${matches.length}`;
}

export function SearchField({ field, query, matches, selected, onQuery, onStep, onLeave }: SearchFieldProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') {
      onQuery('');
      onLeave();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className={styles['search']}>
      <input
        ref={field}
        type="search"
        aria-label="Search the timeline"
        placeholder="search: layer 4, bucket 1, rank 2 …"
        spellCheck={false}
        value={query}
        onChange={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {matches && (
        <>
          <span role="status" aria-label="Matches">
            {found(matches, selected)}
          </span>
          <button type="button" aria-label="Previous match" disabled={matches.length === 0} onClick={() => onStep(-1)}>
            ↑
          </button>
          <button type="button" aria-label="Next match" disabled={matches.length === 0} onClick={() => onStep(1)}>
            ↓
          </button>
        </>
      )}
    </search>
  );
}
