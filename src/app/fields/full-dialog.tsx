/** A dialog that fills the screen while the page continues beneath it: the lab, the comparison of two runs. */
import { type ReactNode, useEffect, useRef } from 'react';
import { must } from '../../base/invariant';
import styles from './full-dialog.module.css';

interface FullDialogProps {
  readonly name: string;
  /** The dialog's name after "Close the". */
  readonly short: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

export function FullDialog({ name, short, close, children }: FullDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = must(dialog.current, 'the dialog');
    element.showModal();
    // Focuses the dialog itself, not its closing button.
    element.focus();
    return () => element.close();
  }, []);
  return (
    <dialog ref={dialog} tabIndex={-1} className={styles['dialog']} aria-label={name} onClose={close}>
      <button
        type="button"
        className={styles['close']}
        aria-label={`Close the ${short}`}
        title="Close (Esc)"
        onClick={close}
      >
        ✕
      </button>
      {children}
    </dialog>
  );
}
