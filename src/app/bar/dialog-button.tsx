/**
 * A button of the bar and the dialog that it opens. What the dialog holds is made when it is first opened (and fetched
 * then, where it is a loadedPanel); the button that closes it is there before, and although the rest did not come. The
 * dialog is not inside the bar: there it would be hidden with a menu or a sheet that is shut.
 */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import styles from './bar.module.css';
import dialogs from './dialog.module.css';

interface DialogButtonProps {
  /** The words on the button. */
  readonly children: string;
  /** What the button is called, where its text does not say it. */
  readonly label?: string;
  readonly title?: string;
  readonly id?: string;
  /** What the dialog is called. */
  readonly name: string;
  readonly className?: string | undefined;
  /** A key that opens it, too, unless somebody types. */
  readonly openedBy?: string;
  /** Comes before what it holds is made. */
  readonly onOpen?: () => void;
  /** What it holds ends when it is closed. */
  readonly forgets?: boolean;
  /** `opened`: how often it has been, for what is to begin anew each time. */
  readonly content: (close: () => void, opened: number) => ReactNode;
}

export function DialogButton(props: DialogButtonProps) {
  const { children, label, title, id, name, className, openedBy, onOpen, forgets, content } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [opened, setOpened] = useState(0);
  const open = useCallback(() => {
    if (dialog.current?.open !== false) return;
    onOpen?.();
    setOpened((times) => times + 1);
    dialog.current.showModal();
    // Not the button that closes it: that may lie below the window, and what comes before it is not there yet.
    dialog.current.focus({ preventScroll: true });
    dialog.current.scrollTop = 0;
  }, [onOpen]);
  useEffect(() => {
    const listen = ({ key, target }: KeyboardEvent) => {
      const typing = target instanceof HTMLElement && target.closest('input:not([type=radio]), textarea, dialog');
      if (key === openedBy && !typing) open();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [open, openedBy]);
  return (
    <>
      <button type="button" id={id} className={styles['plain']} aria-label={label} title={title} onClick={open}>
        {children}
      </button>
      {createPortal(
        <dialog
          ref={dialog}
          tabIndex={-1}
          className={`${dialogs['dialog']} ${className ?? ''}`}
          aria-label={name}
          onClose={() => forgets && setOpened(0)}
        >
          {opened > 0 && content(() => dialog.current?.close(), opened)}
          <form method="dialog">
            <button type="submit">Close</button>
          </form>
        </dialog>,
        document.body,
      )}
    </>
  );
}
