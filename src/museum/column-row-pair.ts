/**
 * Two Linear layers with a Tanh between them, divided by hand over two ranks: the first by columns, the second by rows.
 * Implements a rank's part, and its training from the output that the group has summed. For the scripts of the museum.
 */
import { at } from '../base/invariant';

export interface CurvePoint {
  readonly x: readonly [number, number];
  readonly y: number;
}

/** Samples of a curve whose mean is far from 0, so that the bias matters. */
export const SAMPLES: readonly CurvePoint[] = [-2, -1.5, -1, -0.5, 0.5, 1, 1.5, 2].map((a) => ({
  x: [a, a * a - 2],
  y: 3 + Math.sin(a) + a / 2,
}));

/** A hidden unit: its column of the first weight, its bias, its row of the second weight. */
export type HiddenUnit = readonly [fromFirst: number, fromSecond: number, bias: number, toOutput: number];

const UNITS: readonly HiddenUnit[] = [
  [0.6, -0.2, 0.1, 0.5],
  [-0.4, 0.5, -0.2, -0.3],
  [0.3, 0.4, 0.2, 0.4],
  [-0.5, -0.3, 0.3, 0.6],
];
const RATE = 0.1;

/** The sum of the addends of both ranks, without the bias that is added after the sum. */
export const addendsOf = (units: readonly HiddenUnit[], batch: readonly CurvePoint[]): Float32Array =>
  Float32Array.from(batch, ({ x }) => units.reduce((sum, unit) => sum + unit[3] * hidden(unit, x), 0));

const hidden = ([first, second, bias]: HiddenUnit, [a, b]: CurvePoint['x']): number =>
  Math.tanh(first * a + second * b + bias);

export const meanSquare = (batch: readonly CurvePoint[], out: ArrayLike<number>): number =>
  batch.reduce((sum, { y }, i) => sum + (at(out, i) - y) ** 2, 0) / batch.length;

/** The part of one of the two ranks. */
export class PartOfPair {
  units: readonly HiddenUnit[];
  /** The second layer's bias, which both ranks have. */
  bias = 0.5;

  constructor(rank: number) {
    this.units = UNITS.slice(2 * rank, 2 * rank + 2);
  }

  addends(batch: readonly CurvePoint[]): Float32Array {
    return addendsOf(this.units, batch);
  }

  /**
   * Makes a step of SGD on the mean square error of this rank's own targets, from the output that the group has summed.
   */
  learn(batch: readonly CurvePoint[], out: ArrayLike<number>): void {
    const gradients = batch.map(({ y }, i) => (2 * (at(out, i) - y)) / batch.length);
    const sumOf = (of: (sample: CurvePoint, gradient: number) => number) =>
      batch.reduce((sum, sample, i) => sum + of(sample, at(gradients, i)), 0);
    this.units = this.units.map((unit): HiddenUnit => {
      const [first, second, bias, toOutput] = unit;
      const below = ({ x }: CurvePoint, gradient: number) => gradient * toOutput * (1 - hidden(unit, x) ** 2);
      return [
        first - RATE * sumOf((sample, gradient) => below(sample, gradient) * sample.x[0]),
        second - RATE * sumOf((sample, gradient) => below(sample, gradient) * sample.x[1]),
        bias - RATE * sumOf(below),
        toOutput - RATE * sumOf(({ x }, gradient) => gradient * hidden(unit, x)),
      ];
    });
    this.bias -= RATE * sumOf((_, gradient) => gradient);
  }
}

/** The net of one device before the first step. */
export const wholePair = (): { readonly units: readonly HiddenUnit[]; readonly bias: number } => ({
  units: UNITS,
  bias: new PartOfPair(0).bias,
});
