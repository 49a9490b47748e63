/** What the user gave the page to look at, beside data to train on: recordings, a report, and what a CSV looks like. */
import { readSlice, sliceOf, writeSlice } from '../state/slice';
import type { AppStore } from '../state/store';
import type { CsvLook } from './csv-look';
import type { GivenFile } from './dropped-folders';

/** Files that were dropped on the page to be looked at, until they are read. */
export const GIVEN_RECORDINGS = sliceOf<readonly GivenFile[] | undefined>('given recordings', undefined);

/** The report that the run is held against: a file, or none yet; undefined while it is not. */
export const GIVEN_REPORT = sliceOf<GivenFile | 'none' | undefined>('given report', undefined);

/** What is known of the CSV files that the user gave, by name. */
export const CSV_LOOKS = sliceOf<Readonly<Record<string, CsvLook>>>('looks of CSV files', {});

/** Looks at what files recorded; without files, at what was looked at before. */
export function openRecordings(store: AppStore, files?: readonly GivenFile[]): void {
  store.getState().setView({ recording: '' });
  writeSlice(store, GIVEN_RECORDINGS, files);
}

/** Compares the run with a report; without a file, with one that is still to be chosen. */
export const openReport = (store: AppStore, file?: GivenFile): void => writeSlice(store, GIVEN_REPORT, file ?? 'none');

export const closeReport = (store: AppStore): void => writeSlice(store, GIVEN_REPORT, undefined);

export function addCsv(store: AppStore, look: CsvLook): void {
  writeSlice(store, CSV_LOOKS, { ...readSlice(store.getState(), CSV_LOOKS), [look.file]: look });
}
