/**
 * Final weights of two reports, tensor by tensor. If one side has only hashes, only bitwise equality can be tested.
 * Called by compare-reports.ts.
 */
import { brief, firstFew } from '../base/brief';
import type { AnyReport, ReportTensor } from './any-report';
import type { Bar } from './tolerances';

export interface WeightsComparison {
  readonly tensors: readonly TensorDifference[];
  /** If only hashes could be compared: the number of tensors with different bits. */
  readonly otherBits?: number;
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
}

/** How much two tensors differ, and the element with the largest difference. */
export interface TensorDifference {
  readonly name: string;
  readonly shape: readonly number[];
  /**
   * ||a - b|| relative to the longer one, which the bar limits. Single elements have no limit: an adaptive optimizer
   * makes full steps even from gradients that are only rounding.
   */
  readonly apart: number;
  readonly absolute: number;
  /** The largest difference relative to the tensor's greatest magnitude. */
  readonly relative: number;
  /** The element's flat, row-major index. */
  readonly index: number;
  readonly a: number;
  readonly b: number;
  readonly bar: number;
}

/** `steps`: the number of steps that led to the weights. */
export function compareWeights(a: AnyReport, b: AnyReport, bar: Bar, steps: number): WeightsComparison {
  if (a.weights && b.weights) return byElement(a, b, a.weights, b.weights, bar.at(steps));
  if (a.hashes && b.hashes) return byHash(a.hashes, b.hashes);
  const without = [a, b].filter(({ weights, hashes }) => !weights && !hashes).map(({ name }) => name);
  if (without.length > 0) return { tensors: [], notes: [`No final weights in ${without.join(' and ')}.`] };
  const only = a.weights ? b : a;
  return {
    tensors: [],
    notes: [`Final weights are not compared: ${only.name} has only their hashes, the other report only the numbers.`],
  };
}

/** `[4, 2]`, cut to a length that fits a table. */
export const shapeText = (shape: readonly number[]): string => `[${brief(shape.join(', '))}]`;

/** Compares hashes; reports with weights usually have hashes, too. */
function byHash(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): WeightsComparison {
  const shared = [...a.keys()].filter((name) => b.has(name));
  const other = shared.filter((name) => a.get(name) !== b.get(name));
  const verb = (count: number) => (count === 1 ? 'has' : 'have');
  const tensors = `${shared.length} ${shared.length === 1 ? 'tensor' : 'tensors'}`;
  const notes = [
    other.length > 0
      ? `Final weights: ${other.length} of ${tensors} ${verb(other.length)} other bits (by their SHA-256); the reports do not say how much they differ.`
      : `Final weights: ${shared.length === 1 ? 'the one tensor' : `all ${tensors}`} ${verb(shared.length)} the same bits (by their SHA-256).`,
  ];
  return { tensors: [], otherBits: other.length, notes: [...notes, ...missing(a, b)] };
}

function missing(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): readonly string[] {
  const only = (has: ReadonlyMap<string, unknown>, hasNot: ReadonlyMap<string, unknown>, side: string) => {
    const names = [...has.keys()].filter((name) => !hasNot.has(name));
    return names.length === 0 ? [] : [`Only ${side} has ${firstFew(names, 5)}.`];
  };
  return [...only(a, b, 'A'), ...only(b, a, 'B')];
}

function byElement(
  a: AnyReport,
  b: AnyReport,
  ofA: ReadonlyMap<string, ReportTensor>,
  ofB: ReadonlyMap<string, ReportTensor>,
  bar: number,
): WeightsComparison {
  const notes: string[] = [];
  const tensors = [...ofA].flatMap(([name, one]): readonly TensorDifference[] => {
    const two = ofB.get(name);
    if (two === undefined) return [];
    if (one.shape.join() !== two.shape.join()) {
      notes.push(`${brief(name)} is ${shapeText(one.shape)} in ${a.name} and ${shapeText(two.shape)} in ${b.name}.`);
      return [];
    }
    return [{ name, shape: one.shape, ...furthest(one.values, two.values), bar }];
  });
  return { tensors, notes: [...notes, ...missing(ofA, ofB)] };
}

/** The largest difference; two values that are not finite are equal if both are NaN or the same infinity. */
function furthest(a: ArrayLike<number>, b: ArrayLike<number>): Omit<TensorDifference, 'name' | 'shape' | 'bar'> {
  let [index, absolute, most] = [0, 0, 0];
  let [squares, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    const far = distance(x, y);
    if (far > absolute) [index, absolute] = [i, far];
    squares += far * far;
    if (Number.isFinite(x)) [ofA, most] = [ofA + x * x, Math.max(most, Math.abs(x))];
    if (Number.isFinite(y)) [ofB, most] = [ofB + y * y, Math.max(most, Math.abs(y))];
  }
  return {
    apart: absolute === 0 ? 0 : Math.sqrt(squares / Math.max(ofA, ofB)),
    index,
    absolute,
    relative: absolute === 0 ? 0 : absolute / most,
    a: a[index] ?? 0,
    b: b[index] ?? 0,
  };
}

export function distance(x: number, y: number): number {
  if (Object.is(x, y)) return 0;
  const apart = Math.abs(x - y);
  return Number.isNaN(apart) ? Number.POSITIVE_INFINITY : apart;
}
