/**
 * Keeps the open recordings: starts a worker that reads the files, receives its progress, and can stop it; the
 * recordings open before stay until new ones have been read. The desk outlives the view that shows it. No React.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { asLockstepError, type LockstepError } from '../../base/errors';
import type { RecordingNotice } from '../../recordings/imported';
import type { GivenFile } from '../looks/dropped-folders';
import type { ExampleId } from '../permalink/recording-link';
import { fetchExample } from './examples';
import { createRecordedModel, type RecordedModel, tracksInTurns } from './lanes/recorded-model';
import { openReader, type Reader } from './open-reader';
import type { ReadRecordings } from './reader-api';

export interface OpenRecordings extends ReadRecordings {
  readonly example: ExampleId | undefined;
  /** The model of the timeline; undefined if no file has a timeline. */
  readonly model: RecordedModel | undefined;
  /** Computes the recorded steps under a change, in the worker that read them. */
  readonly whatIf: Reader['whatIf'];
}

export interface DeskState {
  readonly opened: OpenRecordings | undefined;
  readonly reading: { readonly what: string; readonly bytes: number; readonly of: number } | undefined;
  readonly failure: LockstepError | undefined;
  /** Notices about files without anything to show; the recordings open before stay. */
  readonly refused: readonly RecordingNotice[];
}

export interface Desk {
  readonly store: StoreApi<DeskState>;
  /** Never rejects: errors are in the store. */
  read(files: readonly GivenFile[]): Promise<void>;
  readExample(id: ExampleId): Promise<void>;
  cancel(): void;
}

const EMPTY: DeskState = { opened: undefined, reading: undefined, failure: undefined, refused: [] };

export function createDesk(): Desk {
  const store = createStore<DeskState>()(() => EMPTY);
  /** The reader that is still reading. */
  let reader: Reader | undefined;
  /** The reader of the open recordings, which answers questions about them. */
  let answering: Reader | undefined;
  /** Counts the readings, so that messages of a stopped reader are ignored. */
  let turn = 0;

  const stop = () => {
    turn++;
    reader?.end();
    reader = undefined;
    store.setState({ reading: undefined });
  };
  const show = async (from: Reader, example: ExampleId | undefined, own: number): Promise<void> => {
    const read = await from.read;
    if (own !== turn) return;
    const { imported, analysis } = read;
    const { recording, flight, tables, notices } = imported;
    if (!recording && !flight && tables.length === 0) {
      stop();
      return store.setState({ refused: notices });
    }
    const tracks = recording && (await tracksInTurns(recording));
    if (own !== turn) return;
    const model = recording && analysis && createRecordedModel(recording, analysis, tracks);
    answering?.end();
    [answering, reader] = [from, undefined];
    // The worker is needed only for what-if questions about measured steps.
    if (recording?.clock !== 'measured') from.end();
    store.setState({ opened: { ...read, example, model, whatIf: from.whatIf }, reading: undefined });
  };
  const begin = async (
    what: string,
    files: () => Promise<readonly GivenFile[]>,
    example: ExampleId | undefined,
  ): Promise<void> => {
    stop();
    const own = turn;
    store.setState({ reading: { what, bytes: 0, of: 0 }, failure: undefined, refused: [] });
    try {
      const given = await files();
      if (own !== turn) return;
      reader = openReader(given, (bytes, of) => {
        if (own === turn) store.setState({ reading: { what, bytes, of } });
      });
      await show(reader, example, own);
    } catch (error) {
      if (own !== turn) return;
      stop();
      store.setState({ failure: asLockstepError(error) });
    }
  };
  return {
    store,
    read: (files) =>
      begin(files.length === 1 ? (files[0]?.path ?? '') : `${files.length} files`, async () => files, undefined),
    readExample: (id) => begin('the example', () => fetchExample(id), id),
    cancel: stop,
  };
}
