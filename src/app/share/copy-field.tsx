/** A text to copy: shown whole, selected when focused, with a button that copies it and confirms. */
import { useRef, useState } from 'react';
import styles from './share.module.css';

interface CopyFieldProps {
  readonly name: string;
  readonly text: string;
  /** The number of lines, if more than one. */
  readonly rows?: number;
}

export function CopyField({ name, text, rows }: CopyFieldProps) {
  const line = useRef<HTMLInputElement>(null);
  const lines = useRef<HTMLTextAreaElement>(null);
  const [tried, setTried] = useState<{ readonly text: string; readonly copied: boolean }>();
  // The text may have changed since it was copied.
  const said = tried?.text !== text ? '' : tried.copied ? 'Copied' : 'Press Ctrl C to copy';
  const copy = () => {
    const field = rows ? lines.current : line.current;
    field?.select();
    // Many iframes refuse the asynchronous clipboard; execCommand works after any press of a button.
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
