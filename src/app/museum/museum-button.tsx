/** The way into the museum of bugs, in the bar. */
import { lazy, Suspense, useRef, useState } from 'react';
import bar from '../bar/bar.module.css';
import dialogs from '../bar/dialog.module.css';
import styles from './museum.module.css';

const Shelf = lazy(async () => ({ default: (await import('./museum-dialog')).MuseumShelf }));

export function MuseumButton() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [opened, setOpened] = useState(false);
  const close = () => dialog.current?.close();
  return (
    <>
      <button
        type="button"
        className={bar['plain']}
        title="Mistakes of distributed training, made on purpose"
        onClick={() => {
          setOpened(true);
          dialog.current?.showModal();
        }}
      >
        Bugs
      </button>
      <dialog ref={dialog} className={`${dialogs['dialog']} ${styles['dialog']}`} aria-label="Bugs on purpose">
        <Suspense>{opened && <Shelf close={close} />}</Suspense>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
