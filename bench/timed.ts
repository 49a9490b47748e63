/** Runs per second. How many runs fit between two waits for the device is determined once for each `run`. */
import { rateOf, runsInOneLook } from '../src/bench/rate';

const warm = new WeakMap<object, number>();

export async function timed(run: (count: number) => Promise<void>, milliseconds: number): Promise<number> {
  const chunk = warm.get(run) ?? (await runsInOneLook(run));
  warm.set(run, chunk);
  return rateOf(run, chunk, milliseconds);
}
