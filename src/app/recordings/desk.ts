/**
 * What recordings are open: it has a worker read the files, hears how far it is, and can stop it; what was open before
 * stays until others have been read. Outlives the view that shows it. No React.
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
  /** Of the timeline; undefined where no file has one. */
  readonly model: RecordedModel | undefined;
  /** What the recorded steps would be otherwise; worked out by the worker that read them. */
  readonly whatIf: Reader['whatIf'];
}

export interface DeskState {
  readonly opened: OpenRecordings | undefined;
  readonly reading: { readonly what: string; readonly bytes: number; readonly of: number } | undefined;
  readonly failure: LockstepError | undefined;
  /** Of files in which nothing was found that can be shown: what was open stays. */
  readonly refused: readonly RecordingNotice[];
}

export interface Desk {
  readonly store: StoreApi<DeskState>;
  /** Never rejects: what goes wrong is in the store. */
  read(files: readonly GivenFile[]): Promise<void>;
  readExample(id: ExampleId): Promise<void>;
  cancel(): void;
}

const EMPTY: DeskState = { opened: undefined, reading: undefined, failure: undefined, refused: [] };

export function createDesk(): Desk {
  const store = createStore<DeskState>()(() => EMPTY);
  /** That of the reading under way. */
  let reader: Reader | undefined;
  /** That of what is open, which answers questions on it. */
  let answering: Reader | undefined;
  /** Counts the readings: what a stopped one still says is not listened to. */
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
    // Nothing else is asked of it than what measured steps would be otherwise.
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
