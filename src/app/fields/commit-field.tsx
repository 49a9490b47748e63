/**
 * A text field that commits on Enter and when it is left, says beside itself what is wrong, and comes back to the old
 * value on Escape. The one kind of field for numbers: a half-typed number is never a setting.
 */
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import styles from './fields.module.css';

/** A number as many languages write it: 0,5. */
const COMMA = /^\s*-?\d*,\d+\s*$/;

interface CommitFieldProps {
  readonly label: string;
  /** The committed value as text. */
  readonly text: string;
  /** Takes the text; returns what is wrong with it, or undefined. */
  readonly commit: (text: string) => string | undefined;
  readonly title?: string | undefined;
  readonly numeric?: boolean;
  /** A long text has a line of its own, below the label. */
  readonly wide?: boolean;
}

export function CommitField({ label, text, commit, title, numeric = true, wide = false }: CommitFieldProps) {
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
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={tryCommit}
        onKeyDown={onKeyDown}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
