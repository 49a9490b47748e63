/**
 * Checkpoints in the browser: an IndexedDB with a summary and the two files of each. A save is one transaction, so an interrupted one leaves what was there; a name
 * that is taken is replaced. Where the browser keeps nothing (a private window, a strict iframe) every call rejects, and the dialog says so.
 */
import type { CheckpointFiles } from '../../protocol/session';

export interface StoredCheckpoint {
  readonly name: string;
  readonly savedAt: number;
  readonly bytes: number;
  readonly step: number;
  readonly mode: string;
  readonly worldSize: number;
}

const SUMMARIES = 'summaries';
const FILES = 'files';

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open('lockstep-checkpoints', 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(SUMMARIES);
    request.result.createObjectStore(FILES);
  };
  return settled(request);
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser refused'));
  });

async function inOneTransaction<T>(
  mode: IDBTransactionMode,
  task: (summaries: IDBObjectStore, files: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await opened();
  try {
    const transaction = database.transaction([SUMMARIES, FILES], mode);
    const done = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('the browser gave up'));
    });
    const answer = task(transaction.objectStore(SUMMARIES), transaction.objectStore(FILES));
    // Stored is what the transaction has committed, not what a request has answered.
    await done;
    return answer.result;
  } finally {
    database.close();
  }
}

export const storeCheckpoint = (summary: StoredCheckpoint, files: CheckpointFiles): Promise<IDBValidKey> =>
  inOneTransaction('readwrite', (summaries, contents) => {
    contents.put(files, summary.name);
    return summaries.put(summary, summary.name);
  });

/** Newest first. */
export async function listCheckpoints(): Promise<readonly StoredCheckpoint[]> {
  const all = await inOneTransaction('readonly', (summaries) => summaries.getAll() as IDBRequest<StoredCheckpoint[]>);
  return all.toSorted((a, b) => b.savedAt - a.savedAt);
}

export const storedFiles = (name: string): Promise<CheckpointFiles | undefined> =>
  inOneTransaction('readonly', (_, files) => files.get(name) as IDBRequest<CheckpointFiles | undefined>);

export const deleteCheckpoint = (name: string): Promise<undefined> =>
  inOneTransaction('readwrite', (summaries, files) => {
    files.delete(name);
    return summaries.delete(name);
  });
