/**
 * The two counts of a run's position. A step is a step of the optimizer. A micro-batch is one forward and backward
 * pass; a step has `accumulate` of them. Both count from 0 through the whole run. The session counts micro-batches,
 * because each may run a different Program; settings, files and the display count steps.
 */
import type { Config } from './config';
import type { StepKind } from './step-kind';

type Accumulating = Pick<Config, 'accumulate'>;

/** The step of a micro-batch; also the number of steps before it. */
export const stepOf = (microBatch: number, { accumulate }: Accumulating): number => Math.floor(microBatch / accumulate);

/** The first micro-batch of a step. */
export const firstOfStep = (step: number, { accumulate }: Accumulating): number => step * accumulate;

/**
 * 'step 3', or 'step 3 (micro-batch 1 of 2)' if a step has several; micro-batches count from 1 here. The constructor
 * has no number.
 */
export function stepWords(
  microBatch: number,
  { accumulate, kind }: Accumulating & { readonly kind?: StepKind },
  print: (step: number) => string = String,
): string {
  if (kind?.type === 'construct') return 'construct';
  const name = `step ${print(stepOf(microBatch, { accumulate }))}`;
  return accumulate === 1 ? name : `${name} (micro-batch ${(microBatch % accumulate) + 1} of ${accumulate})`;
}
