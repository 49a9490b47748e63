/**
 * Notices about names with the prefix `module.` from a wrapper's state_dict, which is removed when reading. Called by
 * blueprint.ts and the notices of a resumed run.
 */
import { lookup } from '../../base/lookup';
import { readSafetensors } from '../../interop/safetensors';
import type { Notice } from '../../protocol/notice';
import type { Files } from '../../protocol/session';

export const prefixNotice = (file: string): Notice => ({
  level: 'info',
  id: 'module-prefix',
  text: `The names in ${file} begin with "module.", as DataParallel and DistributedDataParallel give them; they are read without it.`,
  hint: 'torch.save(model.module.state_dict(), ...) saves them without it.',
});

/** The notice for the weights file that a run begins with, if any. */
export function prefixNotices(file: string | undefined, files: Files): readonly Notice[] {
  const bytes = file === undefined ? undefined : lookup(files, file);
  if (file === undefined || !bytes) return [];
  return readSafetensors(file, bytes).some(({ name }) => name.startsWith('module.')) ? [prefixNotice(file)] : [];
}
