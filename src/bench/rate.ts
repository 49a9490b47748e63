/** Runs a second, waiting for the results about every 100 ms. For `lockstep bench` and the benchmarks of bench/. */

/** So often does each contender wait for its device. */
const LOOK_MS = 100;

type Run = (count: number) => Promise<unknown>;

/** How many runs take about as long as a look. Finding out warms up, after the first runs that were checked. */
export async function runsInOneLook(run: Run): Promise<number> {
  for (let count = 1; ; count *= 2) {
    const started = performance.now();
    await run(count);
    if (performance.now() - started >= LOOK_MS) return count;
  }
}

/** `chunk`: runs in one look. */
export async function rateOf(run: Run, chunk: number, milliseconds: number): Promise<number> {
  let runs = 0;
  const started = performance.now();
  do {
    await run(chunk);
    runs += chunk;
  } while (performance.now() - started < milliseconds);
  return (1000 * runs) / (performance.now() - started);
}
