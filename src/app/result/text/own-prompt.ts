/**
 * The prompt that the session samples from: the first tokens of the first row. Text is characters, so they can be cut
 * off its preview.
 */
import type { SessionInfo } from '../../../protocol/session-info';

const TOKENS = 8;

export const ownPrompt = (info: SessionInfo | undefined): string =>
  Array.from(info?.dataset.sequences[0]?.input ?? '')
    .slice(0, TOKENS)
    .join('');
