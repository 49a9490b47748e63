/** The way into the museum of bugs, in the bar. */
import { DialogButton } from '../bar/dialog-button';
import { loadedPanel } from '../boundary/loaded-panel';
import styles from './museum-button.module.css';

const Shelf = loadedPanel('The museum of bugs', async () => (await import('./museum-dialog')).MuseumShelf);

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
