/**
 * Reads the user's files and trains on them; if something is wrong with them, a notice says so and the old data stays.
 * Recordings of runs elsewhere are opened in their view, and a report is compared with the run. Loaded with the first
 * file.
 */
import { LockstepError } from '../../base/errors';
import type { Files } from '../../protocol/session';
import { replacedNotice } from '../edit/replaced-notice';
import type { Controller } from '../run/controller';
import type { AppStore } from '../state/store';
import type { GivenFile } from './dropped-folders';
import { addCsv, openRecordings, openReport } from './given';
import { lookAt } from './recording-look';
import { takeFiles } from './take-files';

const MAX_FILES_BYTES = 256 * 2 ** 20;
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

/** Never rejects. */
export async function readGiven(given: readonly GivenFile[], store: AppStore, controller: Controller): Promise<void> {
  const sorry = (text: string, hint: string) => controller.say({ level: 'error', id: 'data', text, hint });
  const looks = await Promise.all(given.map((one) => lookAt(one).catch(() => undefined)));
  if (looks.includes('recording')) {
    openRecordings(store, given);
    return;
  }
  if (looks.length === 1 && looks[0] === 'report') {
    openReport(store, given[0]);
    return;
  }
  const bytes = given.reduce((sum, { file }) => sum + file.size, 0);
  const names = given.length === 1 ? given[0]?.path : `${given.length} files`;
  if (bytes > MAX_FILES_BYTES) {
    sorry(
      `${names}: ${mebibytes(bytes)}; at most ${mebibytes(MAX_FILES_BYTES)} are read.`,
      'Drop fewer or smaller files, or use the command line.',
    );
    return;
  }
  try {
    const entries = given.map(async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())] as const);
    const files: Files = Object.fromEntries(await Promise.all(entries));
    const app = store.getState();
    const taking = await takeFiles(app.config, files);
    if (!taking.ok) return sorry(taking.refused.text, taking.refused.hint);
    const { taken } = taking;
    app.dismissNotice('data');
    if (taken.csv) addCsv(store, taken.csv);
    controller.trainOn(taken.files, taken.config, replacedNotice(taken.replaced));
  } catch (error) {
    if (error instanceof LockstepError) return sorry(error.message, error.hint || 'The old data stays.');
    sorry(
      `${names} could not be read: ${error instanceof Error ? error.message : String(error)}`,
      'Choose the file again.',
    );
  }
}
