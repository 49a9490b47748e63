/**
 * The view of recordings of runs elsewhere: findings in one sentence each, the timeline, and tables. The user drops or
 * chooses the files; the desk (desk.ts) reads them. Loaded when it is first opened.
 */
import type { RefObject } from 'react';
import { useStore } from 'zustand';
import { capital } from '../../trace/capital';
import { FileView } from '../files/file-view';
import view from '../files/file-view.module.css';
import { useApp } from '../state/use-app';
import { createDesk, type Desk, type OpenRecordings } from './desk';
import { RecordedTimeline } from './lanes/recorded-timeline';
import { NoticeList } from './notice-list';
import { OpenButtons } from './open-buttons';
import { Reading } from './reading';
import { Tables } from './recorded-tables';
import styles from './recordings.module.css';
import { Start } from './recordings-start';
import { useAskedFor, useAsking } from './use-asking';

interface RecordingsProps {
  /** Kept by the page, so that a recording stays open when the view closes. */
  readonly desk: RefObject<Desk | undefined>;
}

export function Recordings({ desk: kept }: RecordingsProps) {
  kept.current ??= createDesk();
  const desk = kept.current;
  const { opened, reading, failure, refused } = useStore(desk.store);
  const embed = useApp((app) => app.embed);
  useAskedFor(desk);
  const asking = useAsking(desk);
  return (
    <FileView
      title={
        <>
          Recording <span>{opened ? titleOf(opened) : 'of a run elsewhere'}</span>
        </>
      }
      buttons={(opened || reading) && !embed && <OpenButtons asking={asking} />}
      progress={reading && <Reading reading={reading} onCancel={desk.cancel} />}
      failure={failure?.code === 'aborted' ? undefined : failure}
      dropWords="Drop recordings here"
      onFiles={(files) => void asking.files(files)}
    >
      <NoticeList notices={refused} />
      {refused.length > 0 && opened && <p className={view['soft']}>What was open before is still shown.</p>}
      {opened ? <Opened opened={opened} /> : !reading && <Start asking={asking} />}
    </FileView>
  );
}

function titleOf({ imported: { recording, flight, tables } }: OpenRecordings): string {
  if (recording) return recording.title;
  if (flight) return `flight recorder, ${flight.ranks.length} ranks`;
  const [first] = tables;
  return first ? [first.tool, first.kind.replaceAll('_', '-')].filter(Boolean).join(', ') : '';
}

function Opened({ opened }: { readonly opened: OpenRecordings }) {
  const { imported, analysis, flight, model } = opened;
  const sentences = [...(flight?.sentences ?? []), ...(analysis?.sentences ?? [])];
  return (
    <>
      {sentences.length > 0 && (
        <ul className={styles['findings']} aria-label="Findings">
          {sentences.map((text) => (
            <li key={text}>{capital(text)}</li>
          ))}
        </ul>
      )}
      <NoticeList notices={imported.notices} />
      {model && <RecordedTimeline key={`${imported.sources.map(({ file }) => file).join()}`} model={model} />}
      <Tables opened={opened} />
    </>
  );
}
