/**
 * What stretches of buffers hold, in terms of what other places held before: a sum of terms from the left, each times one factor. Copies, pre-division and
 * received additions are followed through it; anything else has no such form, and the answer is undefined. Used by fold-movements alone.
 */
import type { DeviceIndex } from '../protocol/trace';

/** From this element of a buffer on. */
export interface Place {
  readonly device: DeviceIndex;
  readonly buffer: string;
  readonly offset: number;
}

/** Elements [from, to): ((terms[0] * scale + terms[1] * scale) + ...), rounded after every operation; places are those of element `from`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly terms: readonly Place[];
  readonly scale: number;
}

export const keyOf = ({ device, buffer }: Pick<Place, 'device' | 'buffer'>): string => `${device} ${buffer}`;

export class SymbolicMemory {
  private readonly contents = new Map<string, readonly Stretch[]>();

  /** `lengthOf`: elements of a buffer that held something before; undefined: it held nothing. */
  constructor(private readonly lengthOf: (device: DeviceIndex, buffer: string) => number | undefined) {}

  /** Stretches of a buffer in order of position. */
  stretches(device: DeviceIndex, buffer: string): readonly Stretch[] {
    const known = this.contents.get(keyOf({ device, buffer }));
    if (known) return known;
    const length = this.lengthOf(device, buffer);
    return length === undefined ? [] : [{ from: 0, to: length, terms: [{ device, buffer, offset: 0 }], scale: 1 }];
  }

  /** `target[i] = source[i] * scale`, or with `add` `target[i] = target[i] + source[i]`; false: there is no form for that. */
  move(source: Place, target: Place, length: number, { add, scale }: { add: boolean; scale: number }): boolean {
    const received = this.read(source, length);
    const own = add ? this.read(target, length) : undefined;
    if (!received || (add && !own)) return false;
    const values = own ? sums(own, received) : scaled(received, scale);
    if (!values) return false;
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
    return true;
  }

  /** What `length` elements hold, counted from the place; undefined when some hold nothing. */
  private read({ device, buffer, offset }: Place, length: number): readonly Stretch[] | undefined {
    const found = this.stretches(device, buffer).flatMap((s) => clip(s, offset, offset + length));
    const filled = found.reduce((sum, { from, to }) => sum + to - from, 0);
    return filled === length ? found.map((s) => ({ ...s, from: s.from - offset, to: s.to - offset })) : undefined;
  }
}

/** The part of a stretch that lies in [from, to). */
function clip(stretch: Stretch, from: number, to: number): readonly Stretch[] {
  const [start, end] = [Math.max(stretch.from, from), Math.min(stretch.to, to)];
  if (start >= end) return [];
  const terms = stretch.terms.map((term) => ({ ...term, offset: term.offset + start - stretch.from }));
  return [{ ...stretch, from: start, to: end, terms }];
}

function scaled(stretches: readonly Stretch[], scale: number): readonly Stretch[] | undefined {
  if (scale === 1) return stretches;
  // A factor rounds each time: only plain contents may take one.
  if (stretches.some((s) => s.scale !== 1 || s.terms.length !== 1)) return undefined;
  return stretches.map((s) => ({ ...s, scale }));
}

/** own + received. Where one of them is a single term the sum is one from the left, because a + b is b + a to the bit. */
function sums(own: readonly Stretch[], received: readonly Stretch[]): readonly Stretch[] | undefined {
  const result: Stretch[] = [];
  for (const a of own) {
    for (const b of received) {
      const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
      const [x, y] = [clip(a, from, to)[0], clip(b, from, to)[0]];
      if (!x || !y) continue;
      if (x.scale !== y.scale || (x.terms.length > 1 && y.terms.length > 1)) return undefined;
      const terms = y.terms.length === 1 ? [...x.terms, ...y.terms] : [...y.terms, ...x.terms];
      result.push({ from, to, terms, scale: x.scale });
    }
  }
  return result;
}
