/** Runs a second, waiting for the results about every 100 ms. */

/** So often does each contender wait for its device. */
const LOOK_MS = 100;
const warm = new WeakMap<object, number>();

export async function timed(run: (count: number) => Promise<void>, milliseconds: number): Promise<number> {
  const chunk = warm.get(run) ?? (await runsInOneLook(run));
  warm.set(run, chunk);
  let runs = 0;
  const started = performance.now();
  do {
    await run(chunk);
    runs += chunk;
  } while (performance.now() - started < milliseconds);
  return (1000 * runs) / (performance.now() - started);
}

/** How many runs take about as long as a look. Finding out warms up, after the first runs that were checked. */
async function runsInOneLook(run: (count: number) => Promise<void>): Promise<number> {
  for (let count = 1; ; count *= 2) {
    const started = performance.now();
    await run(count);
    if (performance.now() - started >= LOOK_MS) return count;
  }
}
