/**
 * Checkpoints in the browser: an IndexedDB with a summary and the two files of each. A save is one transaction, so an
 * interrupted save leaves the old state; a checkpoint of the same name is replaced. If the browser stores nothing (a
 * private window, a strict iframe) every call rejects, and the dialog says so.
 */
import { type DBSchema, type IDBPTransaction, openDB } from 'idb';
import type { CheckpointFiles } from '../../protocol/session';

export interface StoredCheckpoint {
  readonly name: string;
  readonly savedAt: number;
  readonly bytes: number;
  readonly step: number;
  readonly mode: string;
  readonly worldSize: number;
}

/** Two stores, so that the list need not read megabytes. */
interface Schema extends DBSchema {
  summaries: { key: string; value: StoredCheckpoint };
  files: { key: string; value: CheckpointFiles };
}

const STORES = ['summaries', 'files'] as const;

type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<Schema, typeof STORES, Mode>;

/** The task's answer once the transaction is committed; else rejects with the reason, and nothing is stored. */
async function inOneTransaction<Mode extends IDBTransactionMode, T>(
  mode: Mode,
  task: (transaction: Transaction<Mode>) => Promise<T>,
): Promise<T> {
  const database = await openDB<Schema>('lockstep-checkpoints', 1, {
    upgrade(made) {
      for (const store of STORES) made.createObjectStore(store);
    },
  });
  try {
    const transaction = database.transaction(STORES, mode);
    // Awaited together: an aborted transaction rejects both promises, and both rejections must be handled.
    const [answer] = await Promise.all([attempted(transaction, task), transaction.done]);
    return answer;
  } finally {
    database.close();
  }
}

/** If the task throws, aborts the transaction, which undoes its writes. */
async function attempted<Mode extends IDBTransactionMode, T>(
  transaction: Transaction<Mode>,
  task: (transaction: Transaction<Mode>) => Promise<T>,
): Promise<T> {
  try {
    return await task(transaction);
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // The transaction has already ended; `done` rejects with its reason.
    }
    throw error;
  }
}

export const storeCheckpoint = (summary: StoredCheckpoint, files: CheckpointFiles): Promise<void> =>
  inOneTransaction('readwrite', async (transaction) => {
    // One after the other: if the second put threw immediately, the first would not be awaited.
    await transaction.objectStore('files').put(files, summary.name);
    await transaction.objectStore('summaries').put(summary, summary.name);
  });

/** Newest first. */
export async function listCheckpoints(): Promise<readonly StoredCheckpoint[]> {
  const all = await inOneTransaction('readonly', (transaction) => transaction.objectStore('summaries').getAll());
  return all.toSorted((a, b) => b.savedAt - a.savedAt);
}

export const storedFiles = (name: string): Promise<CheckpointFiles | undefined> =>
  inOneTransaction('readonly', (transaction) => transaction.objectStore('files').get(name));

export const deleteCheckpoint = (name: string): Promise<void> =>
  inOneTransaction('readwrite', async (transaction) => {
    await transaction.objectStore('files').delete(name);
    await transaction.objectStore('summaries').delete(name);
  });
