/** The way to saved checkpoints, in the bar. What the dialog holds is loaded when it is first opened. */
import { useRef, useState } from 'react';
import bar from '../bar/bar.module.css';
import dialogs from '../bar/dialog.module.css';
import { loadedPanel } from '../boundary/loaded-panel';
import { CHECKPOINTS } from './checkpoints-id';

const Panel = loadedPanel('The list of checkpoints', async () => (await import('./checkpoint-panel')).CheckpointPanel);

export function CheckpointButton() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [opened, setOpened] = useState(false);
  return (
    <>
      <button
        type="button"
        id={CHECKPOINTS}
        className={bar['plain']}
        title="Checkpoints: save and load (c)"
        onClick={() => {
          setOpened(true);
          dialog.current?.showModal();
        }}
      >
        Save
      </button>
      <dialog ref={dialog} className={dialogs['dialog']} aria-label="Checkpoints">
        <h2>Checkpoints</h2>
        {opened && <Panel close={() => dialog.current?.close()} />}
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
