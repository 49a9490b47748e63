/** The link to this run, to copy. The address bar says the same; this also offers it with the page's own words. */
import { type RefObject, useRef, useState } from 'react';
import { useUrlSync } from '../state/use-app';
import styles from './dialog.module.css';

export function ShareDialog({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  const urlSync = useUrlSync();
  const field = useRef<HTMLInputElement>(null);
  const [href, setHref] = useState('');
  const [copied, setCopied] = useState(false);
  const copy = () => {
    field.current?.select();
    // The asynchronous clipboard is refused in many iframes; this works wherever a button was pressed.
    setCopied(document.execCommand('copy'));
  };
  return (
    <dialog
      ref={dialog}
      className={styles['dialog']}
      aria-label="Share"
      onToggle={(event) => {
        if (event.newState !== 'open') return;
        urlSync.write();
        setHref(urlSync.href());
        setCopied(false);
      }}
    >
      <h2>Link to this run</h2>
      <p>Same settings, same seed, same start. Only what differs from the defaults is in it.</p>
      <input ref={field} readOnly aria-label="Link" value={href} onFocus={(event) => event.target.select()} />
      <form method="dialog">
        <button type="button" onClick={copy}>
          Copy
        </button>
        <button type="submit">Close</button>
        <span role="status">{copied ? 'Copied' : ''}</span>
      </form>
    </dialog>
  );
}
