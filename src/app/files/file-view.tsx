/**
 * A view of files that do not belong to this run: recordings, a report. Has a title, buttons to open other files, the
 * progress, errors, and a drop target for files.
 */
import type { ReactNode } from 'react';
import type { LockstepError } from '../../base/errors';
import type { GivenFile } from '../looks/dropped-folders';
import { DropSign } from './drop-sign';
import styles from './file-view.module.css';
import { useDrop } from './use-drop';

interface FileViewProps {
  readonly title: ReactNode;
  /** Buttons beside the title. */
  readonly buttons: ReactNode;
  /** The progress of reading, below the title. */
  readonly progress: ReactNode;
  readonly failure: LockstepError | undefined;
  /** The words shown while files are dragged over the view. */
  readonly dropWords: string;
  readonly onFiles: (files: readonly GivenFile[]) => void;
  /** Whether the view has text and tables rather than figures. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

export function FileView(props: FileViewProps) {
  const { title, buttons, progress, failure, dropWords, onFiles, narrow = false, children } = props;
  const { over, handlers } = useDrop(onFiles);
  return (
    <div className={styles['root']} data-narrow={narrow || undefined} {...handlers}>
      <header className={styles['head']}>
        <h2 className={styles['title']}>{title}</h2>
        {buttons}
      </header>
      {progress}
      {failure && (
        <p role="alert" className={styles['failure']}>
          {failure.message} {failure.hint}
        </p>
      )}
      {children}
      {over && <DropSign>{dropWords}</DropSign>}
    </div>
  );
}
