/** The bar's button for the museum of bugs. */

import { loadedPanel } from '../boundary/loaded-panel';
import { DialogButton } from './dialog-button';
import styles from './museum-button.module.css';

const Shelf = loadedPanel('The museum of bugs', async () => (await import('../museum/museum-dialog')).MuseumShelf);

export function MuseumButton() {
  return (
    <DialogButton
      title="Mistakes of distributed training, made on purpose"
      name="Bugs on purpose"
      className={styles['dialog']}
      content={(close) => <Shelf close={close} />}
    >
      Bugs
    </DialogButton>
  );
}
