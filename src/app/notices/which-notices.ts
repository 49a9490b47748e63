/** Which notices are shown as strips; the others are said quietly, where the device is named (software-word.tsx). */
import type { Notice } from '../../protocol/notice';

export const SOFTWARE_ADAPTER = 'software-adapter';

/** What computes, which is nothing to the readers of another page. */
const MACHINES: ReadonlySet<string> = new Set([SOFTWARE_ADAPTER, 'no-webgpu', 'no-adapter'] as const);

/** `embed`: in another page's frame, or in a lesson. */
export const stripsOf = (all: readonly Notice[], embed: boolean): readonly Notice[] =>
  all.filter(({ id, level }) => id !== SOFTWARE_ADAPTER && !(embed && level !== 'error' && MACHINES.has(id)));

/**
 * In a lesson the author has chosen the settings, and the text says what they do. So advice about settings is not shown
 * there, only what went wrong or may mislead.
 */
export const stripsOfLesson = (all: readonly Notice[]): readonly Notice[] =>
  stripsOf(all, true).filter(({ level }) => level !== 'info');
