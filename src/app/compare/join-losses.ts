/** The losses of two runs over one axis of steps; null for a step without a loss. Pure. */
import type { LossRecord } from '../../protocol/trace';
import { lossSeries } from '../result/loss-series';

export interface LossesOfBoth {
  readonly steps: readonly number[];
  readonly a: readonly (number | null)[];
  readonly b: readonly (number | null)[];
}

interface Losses {
  readonly losses: readonly LossRecord[];
  readonly accumulate: number;
}

export function joinLosses(first: Losses, second: Losses): LossesOfBoth {
  const [a, b] = [first, second].map(({ losses, accumulate }) => {
    const { steps, mean } = lossSeries(losses, [], accumulate);
    return new Map(steps.map((step, index) => [step, mean[index] ?? null]));
  });
  const steps = [...new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])].sort((x, y) => x - y);
  return { steps, a: steps.map((step) => a?.get(step) ?? null), b: steps.map((step) => b?.get(step) ?? null) };
}
