/**
 * Measures runs per second, waiting for results about every 100 ms. For `lockstep bench` and the benchmarks in bench/.
 */

/** The time after which each contender waits for its device. */
const LOOK_MS = 100;

type Run = (count: number) => Promise<unknown>;

/** The number of runs that take about LOOK_MS. Measuring it also warms up, after the first, checked runs. */
export async function runsInOneLook(run: Run): Promise<number> {
  for (let count = 1; ; count *= 2) {
    const started = performance.now();
    await run(count);
    if (performance.now() - started >= LOOK_MS) return count;
  }
}

/** `chunk`: the number of runs between two waits. */
export async function rateOf(run: Run, chunk: number, milliseconds: number): Promise<number> {
  let runs = 0;
  const started = performance.now();
  do {
    await run(chunk);
    runs += chunk;
  } while (performance.now() - started < milliseconds);
  return (1000 * runs) / (performance.now() - started);
}
