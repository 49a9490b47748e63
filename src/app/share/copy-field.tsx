/** A text to take away: shown whole, selected when it is focused, copied by a button that says so. */
import { useRef, useState } from 'react';
import styles from './share.module.css';

interface CopyFieldProps {
  readonly name: string;
  readonly text: string;
  /** More than one line. */
  readonly rows?: number;
}

export function CopyField({ name, text, rows }: CopyFieldProps) {
  const line = useRef<HTMLInputElement>(null);
  const lines = useRef<HTMLTextAreaElement>(null);
  const [tried, setTried] = useState<{ readonly text: string; readonly copied: boolean }>();
  // What was copied may no longer be what is there.
  const said = tried?.text !== text ? '' : tried.copied ? 'Copied' : 'Press Ctrl C to copy';
  const copy = () => {
    const field = rows ? lines.current : line.current;
    field?.select();
    // The asynchronous clipboard is refused in many iframes; this works wherever a button was pressed.
    setTried({ text, copied: document.execCommand('copy') });
  };
  return (
    <div className={styles['copy']}>
      {rows ? (
        <textarea
          ref={lines}
          readOnly
          rows={rows}
          aria-label={name}
          value={text}
          spellCheck={false}
          onFocus={(event) => event.target.select()}
        />
      ) : (
        <input ref={line} readOnly aria-label={name} value={text} onFocus={(event) => event.target.select()} />
      )}
      <button type="button" aria-label={`Copy the ${name.toLowerCase()}`} onClick={copy}>
        {said === 'Copied' ? 'Copied' : 'Copy'}
      </button>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </div>
  );
}
