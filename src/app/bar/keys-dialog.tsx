/** The list of keys, behind `?`. */
import { type RefObject, useEffect } from 'react';
import { HELP_KEY, KEYS } from '../shell/keys';
import styles from './dialog.module.css';

export function KeysDialog({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement && event.target.closest('input:not([type=radio]), textarea, dialog');
      if (event.key === HELP_KEY && !typing) dialog.current?.showModal();
    };
    window.addEventListener('keydown', open);
    return () => window.removeEventListener('keydown', open);
  }, [dialog]);
  return (
    <dialog ref={dialog} className={styles['dialog']} aria-label="Keys">
      <h2>Keys</h2>
      <table>
        <tbody>
          {KEYS.map(({ label, does }) => (
            <tr key={label}>
              <th scope="row">
                <kbd>{label}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">
              <kbd>{HELP_KEY}</kbd>
            </th>
            <td>This list</td>
          </tr>
        </tbody>
      </table>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
