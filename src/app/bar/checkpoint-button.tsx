/** The bar's button for saved checkpoints. */

import { loadedPanel } from '../boundary/loaded-panel';
import { CHECKPOINTS } from '../stored/checkpoints-id';
import { DialogButton } from './dialog-button';

const Panel = loadedPanel(
  'The list of checkpoints',
  async () => (await import('../checkpoint/checkpoint-panel')).CheckpointPanel,
);

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
