/**
 * The two counts of where a run is. A step is one of the optimizer. A micro-batch is one forward and backward pass; a
 * step takes `accumulate` of them. Both count from 0 through the whole run. The session works by micro-batches, since
 * each may run a Program of its own; settings, files and everything that is shown speak of steps.
 */
import type { Config } from './config';
import type { StepKind } from './step-kind';

type Accumulating = Pick<Config, 'accumulate'>;

/** The step that a micro-batch belongs to; also how many steps have been taken before it. */
export const stepOf = (microBatch: number, { accumulate }: Accumulating): number => Math.floor(microBatch / accumulate);

/** The first micro-batch of a step. */
export const firstOfStep = (step: number, { accumulate }: Accumulating): number => step * accumulate;

/**
 * 'step 3', or 'step 3 (micro-batch 1 of 2)' where a step has several; the latter count from 1, as one says it. The
 * constructor has no number.
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
