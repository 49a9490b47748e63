/** The shelf: all mistakes of the museum as a list, one click each. Loaded when it is opened. */
import { EXHIBITS } from '../../museum/exhibits';
import styles from './museum.module.css';
import { useExhibit } from './use-exhibit';

export function MuseumShelf({ close }: { close: () => void }) {
  const { look } = useExhibit();
  return (
    <>
      <h2>Bugs on purpose</h2>
      <p className={styles['intro']}>
        Common mistakes of distributed training. Choose one to run it here, to see what PyTorch says about it, and to
        see the corrected script. Each one links to a thread of somebody who made it.
      </p>
      <ol className={styles['shelf']}>
        {EXHIBITS.map(({ id, title, mistake }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => {
                close();
                look(id, false);
              }}
            >
              <b>{title}</b>
              <span>{mistake}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
