/** Choices of the generator, for the files beside. */
import fc from 'fast-check';

export type Gen = fc.GeneratorValue;

export const int = (g: Gen, min: number, max: number): number => g(fc.integer, { min, max });
export const one = <const T>(g: Gen, ...values: readonly T[]): T => values[int(g, 0, values.length - 1)] as T;
/** True in `percent` of 100 cases. */
export const often = (g: Gen, percent: number): boolean => int(g, 0, 99) < percent;
export const some = <T extends object>(g: Gen, percent: number, given: () => T): T | Record<never, never> =>
  often(g, percent) ? given() : {};
