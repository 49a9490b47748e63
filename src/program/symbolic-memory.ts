/**
 * Expresses the contents of stretches of buffers by earlier contents of other places: a sum of terms, each times one
 * factor. It follows copies, pre-division and received additions; anything else has no such form, and the result is
 * undefined. Used by fold-movements alone.
 */
import type { DeviceIndex } from '../protocol/trace';

/** A place in a buffer, counted in elements. */
export interface BufferPlace {
  readonly device: DeviceIndex;
  readonly buffer: string;
  readonly offset: number;
}

/**
 * Elements [from, to) hold the sum of the terms, each times `scale`, and the sum times `after`, rounded after every
 * operation; places are those of element `from`. The terms are in postfix order: each term is pushed onto a stack, then
 * the two topmost are replaced by their sum `joins` times. 0, 1, 1 ... is a sum from the left. No terms: contents
 * without such a form.
 */
export interface SymbolicStretch {
  readonly from: number;
  readonly to: number;
  readonly terms: readonly BufferPlace[];
  readonly joins: readonly number[];
  readonly scale: number;
  readonly after: number;
}

export const keyOf = ({ device, buffer }: Pick<BufferPlace, 'device' | 'buffer'>): string => `${device} ${buffer}`;

export class SymbolicMemory {
  private readonly contents = new Map<string, readonly SymbolicStretch[]>();

  /** `lengthOf`: number of elements of a buffer with contents at the start; undefined: the buffer had none. */
  constructor(private readonly lengthOf: (device: DeviceIndex, buffer: string) => number | undefined) {}

  /** Stretches of a buffer in order of position. */
  stretches(device: DeviceIndex, buffer: string): readonly SymbolicStretch[] {
    const known = this.contents.get(keyOf({ device, buffer }));
    if (known) return known;
    const length = this.lengthOf(device, buffer);
    return length === undefined
      ? []
      : [{ from: 0, to: length, terms: [{ device, buffer, offset: 0 }], joins: [0], scale: 1, after: 1 }];
  }

  /**
   * `target[i] = source[i] * scale`, or with `add` `target[i] = target[i] + source[i]`; false: the result has no such
   * form.
   */
  move(
    source: BufferPlace,
    target: BufferPlace,
    length: number,
    { add, scale }: { add: boolean; scale: number },
  ): boolean {
    const received = this.read(source, length);
    const own = add ? this.read(target, length) : undefined;
    if (!received || (add && !own)) return false;
    const values = own ? sums(own, received) : scaled(received, scale);
    if (!values) return false;
    this.put(target, length, values);
    return true;
  }

  /** Marks the elements as contents without such a form. */
  forget(target: BufferPlace, length: number): void {
    this.put(target, length, [{ from: 0, to: length, terms: [], joins: [], scale: 1, after: 1 }]);
  }

  /** `values`: from 0 to the length. */
  private put(target: BufferPlace, length: number, values: readonly SymbolicStretch[]): void {
    const end = target.offset + length;
    const kept = this.stretches(target.device, target.buffer).flatMap((s) => [
      ...clip(s, 0, target.offset),
      ...clip(s, end, Number.POSITIVE_INFINITY),
    ]);
    const placed = values.map((s) => ({ ...s, from: s.from + target.offset, to: s.to + target.offset }));
    this.contents.set(
      keyOf(target),
      [...kept, ...placed].sort((a, b) => a.from - b.from),
    );
  }

  /** The contents of `length` elements from the place on; undefined if some have none. */
  private read({ device, buffer, offset }: BufferPlace, length: number): readonly SymbolicStretch[] | undefined {
    const found = this.stretches(device, buffer).flatMap((s) => clip(s, offset, offset + length));
    const filled = found.reduce((sum, { from, to }) => sum + to - from, 0);
    return filled === length ? found.map((s) => ({ ...s, from: s.from - offset, to: s.to - offset })) : undefined;
  }
}

/** The part of a stretch that lies in [from, to). */
function clip(stretch: SymbolicStretch, from: number, to: number): readonly SymbolicStretch[] {
  const [start, end] = [Math.max(stretch.from, from), Math.min(stretch.to, to)];
  if (start >= end) return [];
  // A shortcut: most stretches are whole, and a sum over a large world has many terms.
  if (start === stretch.from && end === stretch.to) return [stretch];
  const terms = stretch.terms.map((term) => ({ ...term, offset: term.offset + start - stretch.from }));
  return [{ ...stretch, from: start, to: end, terms }];
}

function scaled(stretches: readonly SymbolicStretch[], scale: number): readonly SymbolicStretch[] | undefined {
  if (scale === 1) return stretches;
  // Every factor rounds, so contents may have one factor before the sum and one after.
  if (stretches.some((s) => s.after !== 1 || (s.terms.length === 1 && s.scale !== 1))) return undefined;
  return stretches.map((s) => (s.terms.length === 1 ? { ...s, scale } : { ...s, after: scale }));
}

/** Most terms of a sum that is not from the left. With more ranks, its rounds run one by one. */
const MOST_TERMS = 16;

/** Whether a sum is from the left. */
export const fromTheLeft = (joins: readonly number[]): boolean => joins.every((n, k) => n === (k === 0 ? 0 : 1));

/** The largest height of the stack. */
function height(joins: readonly number[]): number {
  let [now, most] = [0, 0];
  for (const n of joins) {
    now++;
    most = Math.max(most, now);
    now -= n;
  }
  return most;
}

/**
 * own + received, in the order that needs the lower stack, because a + b equals b + a to the bit. So a sum plus a
 * single term stays a sum from the left.
 */
function sums(
  own: readonly SymbolicStretch[],
  received: readonly SymbolicStretch[],
): readonly SymbolicStretch[] | undefined {
  const result: SymbolicStretch[] = [];
  for (const a of own) {
    for (const b of received) {
      const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
      const [x, y] = [clip(a, from, to)[0], clip(b, from, to)[0]];
      if (!x || !y) continue;
      if (x.terms.length === 0 || y.terms.length === 0) {
        result.push({ ...x, terms: [], joins: [] });
        continue;
      }
      if (x.scale !== y.scale || x.after !== 1 || y.after !== 1) return undefined;
      const [first, second] = height(x.joins) >= height(y.joins) ? [x, y] : [y, x];
      const joins = [...first.joins, ...second.joins.slice(0, -1), (second.joins.at(-1) ?? 0) + 1];
      if (joins.length > MOST_TERMS && !fromTheLeft(joins)) return undefined;
      result.push({ from, to, terms: [...first.terms, ...second.terms], joins, scale: x.scale, after: 1 });
    }
  }
  return result;
}
