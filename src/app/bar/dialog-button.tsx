/**
 * A button of the bar and the dialog that it opens. The dialog's content is made when it is first opened (and fetched
 * then if it is a loadedPanel); the close button works even if the content fails to load. The dialog is not inside the
 * bar, where closing a menu or sheet would hide it.
 */
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import styles from './bar.module.css';
import dialogs from './dialog.module.css';

interface DialogButtonProps {
  /** The words on the button. */
  readonly children: string;
  /** The button's accessible name, if its text is not enough. */
  readonly label?: string;
  readonly title?: string;
  readonly id?: string;
  /** The dialog's accessible name. */
  readonly name: string;
  readonly className?: string | undefined;
  /** A key that also opens the dialog, except while the user types in a field. */
  readonly openedBy?: string;
  /** Called before the content is made. */
  readonly onOpen?: () => void;
  /** Closing the dialog unmounts its content. */
  readonly forgets?: boolean;
  /** `opened`: how often the dialog was opened, as a key for content that must start fresh each time. */
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
    // Focus the dialog, not its close button, which may lie below the window while the content is still missing.
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
