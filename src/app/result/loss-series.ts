/** The loss history as the columns that the chart draws and the table prints. Pure. */
import type { LossLine } from '../../protocol/session-info';
import type { LossRecord } from '../../protocol/trace';
import type { EvaluationRecord } from '../state/app-state';

interface LossesOfDevice {
  readonly device: number;
  readonly title: string;
  readonly values: readonly (number | null)[];
}

export interface LossSeries {
  /** Fractional if a step has several micro-batches: 2.5 is the first of two in step 3. */
  readonly steps: readonly number[];
  /** One column for each part of the batch, with a device that computes its loss; empty if there is one part. */
  readonly perPart: readonly LossesOfDevice[];
  readonly mean: readonly (number | null)[];
  readonly test: readonly (number | null)[];
}

const finite = (value: number | undefined) => (value !== undefined && Number.isFinite(value) ? value : null);

/** One line would be the mean itself. */
const severalOf = (lines: readonly LossLine[]): readonly LossLine[] => (lines.length > 1 ? lines : []);

/** The most points drawn: more than the chart's pixels would only cost time. */
const DRAWN = 600;

export function lossSeries(
  losses: readonly LossRecord[],
  evaluations: readonly EvaluationRecord[],
  accumulate: number,
  lines: readonly LossLine[] = [],
): LossSeries {
  const stride = Math.max(1, Math.ceil(losses.length / DRAWN));
  const drawn = losses.filter((_, index) => index % stride === 0 || index === losses.length - 1);
  // Numbers of completed steps, as on the page.
  const steps = drawn.map(({ microBatch }) => (microBatch + 1) / accumulate);
  const test: (number | null)[] = steps.map(() => null);
  let next = 0;
  for (const { step, testLoss } of evaluations) {
    while (next < steps.length - 1 && (steps[next] ?? 0) < step) next++;
    // An evaluation "at step n" evaluates the weights after n steps.
    if (testLoss !== undefined && steps.length > 0) test[next] = finite(testLoss);
  }
  return {
    steps,
    perPart: severalOf(lines).map(({ device, title, place }) => ({
      device,
      title,
      values: drawn.map(({ perRank }) => finite(perRank[place])),
    })),
    mean: drawn.map(({ loss }) => finite(loss)),
    test,
  };
}
