/** The way to saved checkpoints, in the bar. */
import { DialogButton } from '../bar/dialog-button';
import { loadedPanel } from '../boundary/loaded-panel';
import { CHECKPOINTS } from './checkpoints-id';

const Panel = loadedPanel('The list of checkpoints', async () => (await import('./checkpoint-panel')).CheckpointPanel);

export function CheckpointButton() {
  return (
    <DialogButton
      id={CHECKPOINTS}
      title="Checkpoints: save and load (c)"
      name="Checkpoints"
      content={(close) => (
        <>
          <h2>Checkpoints</h2>
          <Panel close={close} />
        </>
      )}
    >
      Save
    </DialogButton>
  );
}
