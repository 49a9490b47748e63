/** The way into the museum of bugs, in the bar. */
import { useRef, useState } from 'react';
import bar from '../bar/bar.module.css';
import dialogs from '../bar/dialog.module.css';
import { loadedPanel } from '../boundary/loaded-panel';
import styles from './museum.module.css';

const Shelf = loadedPanel('The museum of bugs', async () => (await import('./museum-dialog')).MuseumShelf);

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
        {opened && <Shelf close={close} />}
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
