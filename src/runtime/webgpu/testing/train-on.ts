/** Trains a test run on an executor, and the modes that tests of executors run. */
import type { Mode } from '../../../protocol/config';
import type { Executor } from '../../executor';
import { readParameters, type TestRun, writeParameters } from './programs';

export async function trainOn(
  executor: Executor,
  run: TestRun,
  steps: number,
  traced: (step: number) => boolean = () => false,
) {
  writeParameters(executor, run);
  for (let step = 0; step < steps; step++) {
    if (traced(step)) await executor.trace(run.programAt(step), run.feed(step));
    else await executor.step(run.programAt(step), run.feed(step));
  }
  return { losses: await executor.losses(), parameters: await readParameters(executor, run) };
}

/** Several buckets for the small nets of the tests. */
export const SMALL_BUCKETS = { bucketCapMb: 0.0002 };
export const MODES_AND_SIZES: readonly [Mode, number][] = [
  ['single', 1],
  ['dataParallel', 3],
  ['ddp', 1],
  ['ddp', 2],
  ['ddp', 4],
  ['modelParallel', 2],
];
