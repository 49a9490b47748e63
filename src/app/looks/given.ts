/** Files that the user gave the page besides data to train on: recordings and a report; and the looks of CSV files. */

import type { AppStore } from '../state/store';
import { readSlice, sliceOf, writeSlice } from '../state/store-slice';
import type { CsvLook } from './csv-look';
import type { GivenFile } from './dropped-folders';

/** Dropped recordings, until they are read. */
export const GIVEN_RECORDINGS = sliceOf<readonly GivenFile[] | undefined>('given recordings', undefined);

/** The report with which the run is compared: a file, or 'none' before the choice; undefined without a comparison. */
export const GIVEN_REPORT = sliceOf<GivenFile | 'none' | undefined>('given report', undefined);

/** The looks of the user's CSV files, by name. */
export const CSV_LOOKS = sliceOf<Readonly<Record<string, CsvLook>>>('looks of CSV files', {});

/** Opens recordings; without files, the recordings opened before. */
export function openRecordings(store: AppStore, files?: readonly GivenFile[]): void {
  store.getState().setView({ recording: '' });
  writeSlice(store, GIVEN_RECORDINGS, files);
}

/** Compares the run with a report; without a file, the user chooses one next. */
export const openReport = (store: AppStore, file?: GivenFile): void => writeSlice(store, GIVEN_REPORT, file ?? 'none');

export const closeReport = (store: AppStore): void => writeSlice(store, GIVEN_REPORT, undefined);

export function addCsv(store: AppStore, look: CsvLook): void {
  writeSlice(store, CSV_LOOKS, { ...readSlice(store.getState(), CSV_LOOKS), [look.file]: look });
}
