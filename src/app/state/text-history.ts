/**
 * What a language model wrote on its own, at a few steps: the first try, the newest, and some between that lie further
 * apart the older they are, so that one can read how it learnt. Kept by the store as snapshots come; shown by the
 * result.
 */
import type { Snapshot } from '../../protocol/snapshot';

export interface WrittenText {
  readonly step: number;
  readonly text: string;
}

export const KEPT_TEXTS = 5;

/**
 * Oldest first. After a restart steps run again; what they write takes the place of the old. A text that is there
 * already is not repeated: while a run is in a hurry, a snapshot may carry the last one's text.
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

/** The one whose neighbours are nearest to each other as a ratio of steps; never the first or the newest. */
function mostCrowded(texts: readonly WrittenText[]): number {
  const step = (index: number) => (texts[index]?.step ?? 0) + 1;
  const inner = texts.slice(1, -1).map((_, i) => ({ index: i + 1, ratio: step(i + 2) / step(i) }));
  return inner.reduce((best, candidate) => (candidate.ratio < best.ratio ? candidate : best)).index;
}
