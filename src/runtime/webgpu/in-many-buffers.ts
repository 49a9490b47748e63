/**
 * Groups work for the kernels that bind several GPUBuffers on one side (comm/transfer-to-many, comm/fold-from-many).
 * The tensors of a unit of fully_shard lie in a GPUBuffer each, because they share memory with activations; such a
 * kernel moves up to six of them in one dispatch. Used by plan-transfer and plan-folds.
 */
import type { BlockStretch } from './block-table';

/** The number of GPUBuffers that these kernels bind on the side with many. */
export const MANY = 6;

/** From so many words on, elements that are moved one by one cost more than the dispatches that are saved. */
const LONG = 32_768;

/** What one dispatch would do for one pair of GPUBuffers. */
interface OfPair {
  readonly stretches: readonly BlockStretch[];
}

export interface ManyBuffers<T extends OfPair> {
  /** At least one, at most MANY. */
  readonly items: readonly T[];
  /** The override VECTORS: whether all stretches are whole vectors of four. */
  readonly vectors: 0 | 1;
}

/** Puts items with the same key together, at most MANY in a group. An item without a key is alone. */
export function inManyBuffers<T extends OfPair>(
  items: readonly T[],
  keyOf: (item: T) => string | undefined,
): readonly ManyBuffers<T>[] {
  const byKey = new Map<string, T[]>();
  items.forEach((item, i) => {
    const key = keyOf(item) ?? `alone ${i}`;
    byKey.set(key, [...(byKey.get(key) ?? []), item]);
  });
  return [...byKey.values()].flatMap((alike) => {
    const [vectors, others] = [alike.filter(ofVectors), alike.filter((item) => !ofVectors(item))];
    if (others.length === 0) return inGroups(vectors, 1, MANY);
    if (wordsOf(alike) < LONG) return inGroups(alike, 0, MANY);
    return [...inGroups(vectors, 1, MANY), ...inGroups(others, 0, wordsOf(others) < LONG ? MANY : 1)];
  });
}

const ofVectors = ({ stretches }: OfPair): boolean =>
  stretches.every(({ at, length }) => [length, ...at.map(({ offset }) => offset)].every((words) => words % 4 === 0));

const wordsOf = (items: readonly OfPair[]): number =>
  items.reduce((sum, { stretches }) => stretches.reduce((own, { length }) => own + length, sum), 0);

const inGroups = <T extends OfPair>(items: readonly T[], vectors: 0 | 1, most: number): readonly ManyBuffers<T>[] =>
  Array.from({ length: Math.ceil(items.length / most) }, (_, k) => ({
    items: items.slice(k * most, (k + 1) * most),
    vectors,
  }));
