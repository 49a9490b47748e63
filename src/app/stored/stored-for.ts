/**
 * The files of a checkpoint that a link names and this browser stores, added to the page's files. Called by the
 * controller before it opens a session.
 */
import { loadPart } from '../../base/load-part';
import { lookup } from '../../base/lookup';
import type { Files } from '../../protocol/session';

export async function storedFor(resume: string | undefined, files: Files): Promise<Files> {
  if (resume === undefined || lookup(files, `${resume}.state.safetensors`)) return files;
  const [{ storedFiles }, { filesOf }] = await loadPart('The store of checkpoints', () =>
    Promise.all([import('./checkpoint-store'), import('./with-checkpoint')]),
  );
  const found = await storedFiles(resume).catch(() => undefined);
  return found ? { ...files, ...filesOf(resume, found) } : files;
}
