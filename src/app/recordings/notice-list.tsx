/** Notices about data that could not be read, or was read with a guess, with the place in the file. */
import type { RecordingNotice, RecordPlace } from '../../recordings/imported';
import { formatCount } from '../draw/format';
import styles from './recordings.module.css';

/** "rank1.json, event 4,512", as far as the place is known. */
export function placeWords({ file, line, byte, event }: RecordPlace): string {
  if (event !== undefined) return `${file}, event ${formatCount(event)}`;
  if (line !== undefined) return `${file}, line ${formatCount(line)}`;
  return byte === undefined ? file : `${file}, byte ${formatCount(byte)}`;
}

export function NoticeList({ notices }: { readonly notices: readonly RecordingNotice[] }) {
  if (notices.length === 0) return null;
  const warnings = notices.filter(({ level }) => level === 'warning');
  const infos = notices.filter(({ level }) => level === 'info');
  return (
    <section className={styles['notices']} aria-label="About the files">
      {warnings.length > 0 && (
        <div role="alert">
          <Notices notices={warnings} />
        </div>
      )}
      {infos.length > 0 && (
        <details>
          <summary>{infos.length === 1 ? 'One note' : `${infos.length} notes`} about the files</summary>
          <Notices notices={infos} />
        </details>
      )}
    </section>
  );
}

function Notices({ notices }: { readonly notices: readonly RecordingNotice[] }) {
  return (
    <ul>
      {notices.map((notice) => (
        <li key={`${placeWords(notice.place)} ${notice.text}`} data-level={notice.level}>
          <b>{placeWords(notice.place)}:</b> {notice.text}
        </li>
      ))}
    </ul>
  );
}
