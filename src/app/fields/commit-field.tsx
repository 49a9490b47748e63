/**
 * A text field that commits on Enter and when it loses the focus, shows errors beside itself, and restores the old
 * value on Escape. Used for all numbers, so that a half-typed number is never applied.
 */
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import styles from './fields.module.css';

/** A number with a decimal comma, as in many languages: 0,5. */
const COMMA = /^\s*-?\d*,\d+\s*$/;

/** Below the last visible field, a problem would be hidden. */
const scrollTo = (problem: HTMLElement | null) => problem?.scrollIntoView({ block: 'nearest' });

interface CommitFieldProps {
  readonly label: string;
  /** The committed value as text. */
  readonly text: string;
  /** Applies the text; returns what is wrong with it, or undefined. */
  readonly commit: (text: string) => string | undefined;
  readonly title?: string | undefined;
  readonly numeric?: boolean;
  /** For a long text: a separate line below the label. */
  readonly wide?: boolean;
  /** Shown in a field without text: what holds then. */
  readonly whenEmpty?: string;
}

export function CommitField(props: CommitFieldProps) {
  const { label, text, commit, title, numeric = true, wide = false, whenEmpty = 'default' } = props;
  const id = useId();
  const [draft, setDraft] = useState(text);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    setDraft(text);
    setProblem(undefined);
  }, [text]);

  const tryCommit = () => {
    if (draft.trim() === text) {
      setDraft(text);
      setProblem(undefined);
    } else {
      const wrong = commit(draft.trim());
      setProblem(wrong && COMMA.test(draft) ? `Write ${draft.trim().replace(',', '.')}, with a decimal point.` : wrong);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') tryCommit();
    if (event.key === 'Escape') {
      setDraft(text);
      setProblem(undefined);
    }
  };
  return (
    <div className={styles['row']} data-wide={wide || undefined} title={title}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={styles['input']}
        inputMode={numeric ? 'decimal' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={draft}
        placeholder={text === '' ? whenEmpty : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={tryCommit}
        onKeyDown={onKeyDown}
      />
      {problem !== undefined && (
        <p ref={scrollTo} id={`${id}-problem`} className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
