/**
 * Texts that a language model wrote at a few steps: the first, the newest, and some between, further apart the older
 * they are, so that the reader sees how the model learnt. The store keeps them from snapshots; the result panel shows
 * them.
 */
import type { Snapshot } from '../../protocol/snapshot';

export interface WrittenText {
  readonly step: number;
  readonly text: string;
}

export const KEPT_TEXTS = 5;

/**
 * Oldest first. After a restart steps run again, and their texts replace the old ones. A repeated text is not added: in
 * a fast run, a snapshot may carry the previous one's text.
 */
export function withText(
  texts: readonly WrittenText[],
  { step, sampledText: text }: Pick<Snapshot, 'step' | 'sampledText'>,
): readonly WrittenText[] {
  if (text === undefined) return texts;
  const before = texts.filter((kept) => kept.step < step);
  if (before.at(-1)?.text === text) return before;
  const next = [...before, { step, text }];
  return next.length <= KEPT_TEXTS ? next : next.toSpliced(mostCrowded(next), 1);
}

/** The text whose neighbours have the smallest ratio of steps; never the first or the newest. */
function mostCrowded(texts: readonly WrittenText[]): number {
  const step = (index: number) => (texts[index]?.step ?? 0) + 1;
  const inner = texts.slice(1, -1).map((_, i) => ({ index: i + 1, ratio: step(i + 2) / step(i) }));
  return inner.reduce((best, candidate) => (candidate.ratio < best.ratio ? candidate : best)).index;
}
