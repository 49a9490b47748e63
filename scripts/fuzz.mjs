/**
 * `npm run fuzz -- --minutes 10 --seed 7 [--only links] [--browser --links 300]`: the fuzzers for as long as one likes.
 * Without a seed each run has a new one, which is printed first. With --browser the built site is sent links, which
 * takes about a second for each.
 */
import { parseArgs } from 'node:util';
import { ensureInstalled } from './install.mjs';

ensureInstalled();
const { runBin } = await import('./run-bin.mjs');
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    only: { type: 'string' },
    browser: { type: 'boolean', default: false },
    links: { type: 'string', default: '300' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const minutes = Number(values.minutes);
if (!Number.isSafeInteger(seed) || !(minutes > 0) || !(Number(values.links) > 0)) {
  console.error('--seed must be a whole number, --minutes and --links numbers above 0.');
  process.exit(2);
}
console.log(`Seed ${seed}.`);
const status = values.browser
  ? await runBin('node', ['scripts/e2e.mjs', '-g', 'links of a fuzzer'], {
      LOCKSTEP_FUZZ_SEED: String(seed),
      LOCKSTEP_FUZZ_LINKS: values.links,
    })
  : await runBin('vitest', ['run', '--project', 'pure', 'fuzz/fuzz.test.ts'], {
      LOCKSTEP_FUZZ_SEED: String(seed),
      LOCKSTEP_FUZZ_MINUTES: String(minutes),
      ...(values.only === undefined ? {} : { LOCKSTEP_FUZZ_ONLY: values.only }),
    });
if (status !== 0) console.error(`Failed with seed ${seed}. Keep the counterexample in fuzz/regressions.json.`);
process.exit(status);
