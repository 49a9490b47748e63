/** Which notices are shown as strips; the others appear beside the device's name (software-word.tsx). */
import type { Notice } from '../../protocol/notice';

export const SOFTWARE_ADAPTER = 'software-adapter';

/** Notices about the computing device, which do not concern the readers of an embedding page. */
const MACHINES: ReadonlySet<string> = new Set([SOFTWARE_ADAPTER, 'no-webgpu', 'no-adapter'] as const);

/** `embed`: in another page's frame, or in a lesson. */
export const stripsOf = (all: readonly Notice[], embed: boolean): readonly Notice[] =>
  all.filter(({ id, level }) => id !== SOFTWARE_ADAPTER && !(embed && level !== 'error' && MACHINES.has(id)));

/**
 * In a lesson the author has chosen the settings, and the text explains them. So lessons show no advice about settings,
 * only notices about errors or misleading results.
 */
export const stripsOfLesson = (all: readonly Notice[]): readonly Notice[] =>
  stripsOf(all, true).filter(({ level }) => level !== 'info');
