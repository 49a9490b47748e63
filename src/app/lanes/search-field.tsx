/** The search of lanes over time: its field, how many events match and which one is selected, next and previous. */
import type { KeyboardEvent, Ref } from 'react';
import styles from './tools.module.css';

export interface SearchFieldProps {
  readonly field: Ref<HTMLInputElement>;
  /** Examples of words to search for. */
  readonly hint: string;
  readonly query: string;
  /** The number of matches, and which one is selected; undefined if the field is empty. */
  readonly found: { readonly count: number; readonly place: number | undefined } | undefined;
  readonly onQuery: (query: string) => void;
  readonly onStep: (step: 1 | -1) => void;
  /** Back to the lanes. */
  readonly onLeave: () => void;
}

function foundWords({ count, place }: NonNullable<SearchFieldProps['found']>): string {
  if (count === 0) return 'nothing found';
  return place === undefined ? `${count} found` : `${place + 1} of ${count}`;
}

export function SearchField({ field, hint, query, found, onQuery, onStep, onLeave }: SearchFieldProps) {
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
        placeholder={hint}
        spellCheck={false}
        value={query}
        onChange={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {found && (
        <>
          <span role="status" aria-label="Matches">
            {foundWords(found)}
          </span>
          <button type="button" aria-label="Previous match" disabled={found.count === 0} onClick={() => onStep(-1)}>
            ↑
          </button>
          <button type="button" aria-label="Next match" disabled={found.count === 0} onClick={() => onStep(1)}>
            ↓
          </button>
        </>
      )}
    </search>
  );
}
