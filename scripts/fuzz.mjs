/**
 * `npm run fuzz -- --minutes 10 --seed 7 [--only links] [--browser --links 300]`: runs the fuzzers for the given time,
 * or with `--cases 10000` that many cases of each fuzzer. Without --seed each run draws a new seed and prints it first.
 * With --browser it sends links to the built site, which takes about a second per link. With --torch it trains random
 * runs here and in PyTorch, which takes a few seconds per run; --runs FILE tries the runs again that it printed.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled, root } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

const { values } = readArguments({
  command: 'npm run fuzz --',
  about:
    'Sends random inputs to Lockstep, which must run each input or refuse it with a sentence that says why. Prints the seed first; without --seed it draws a new one.',
  options: {
    minutes: { value: 'N', default: '5', positive: true, help: 'How long all fuzzers together run.' },
    cases: { value: 'N', positive: true, help: 'Run N cases of each fuzzer, without a time limit.' },
    seed: { value: 'N', help: 'A whole number; the same seed gives the same cases.' },
    only: { value: 'NAME', help: 'Run only this fuzzer (fuzz/targets.ts lists the names).' },
    browser: { help: 'Send links to the built site, which takes about a second per link.' },
    links: { value: 'N', default: '300', positive: true, help: 'With --browser: the number of links.' },
    torch: {
      help: 'Train random runs here and in PyTorch (LOCKSTEP_PYTHON names an interpreter), and compare losses and weights. --cases: the number of runs, 100 if absent.',
    },
    runs: { value: 'FILE', help: 'With --torch: try these runs again, one per line, as an earlier try printed them.' },
  },
});
ensureInstalled();
const { runBin } = await import('./run-bin.mjs');
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(seed)) {
  console.error(`--seed must be a whole number, not "${values.seed}".`);
  process.exit(2);
}
/** This file has a key for every fuzzer. */
const names = Object.keys(JSON.parse(readFileSync(path.join(root, 'fuzz', 'regressions.json'), 'utf8')));
if (values.only !== undefined && !names.includes(values.only)) {
  console.error(`--only ${values.only}: there is no such fuzzer. The fuzzers are ${names.join(', ')}.`);
  process.exit(2);
}
console.log(`Seed ${seed}.`);
const inTorch = () =>
  runBin('vitest', ['run', '--project', 'torch', 'fuzz/torch'], {
    LOCKSTEP_FUZZ_SEED: String(seed),
    LOCKSTEP_FUZZ_TORCH: values.cases ?? '100',
    ...(values.runs === undefined ? {} : { LOCKSTEP_FUZZ_RUNS: path.resolve(values.runs) }),
  });
const status = values.torch
  ? await inTorch()
  : values.browser
    ? await runBin('node', ['scripts/e2e.mjs', '-g', 'links of a fuzzer'], {
        LOCKSTEP_FUZZ_SEED: String(seed),
        LOCKSTEP_FUZZ_LINKS: values.links,
      })
    : await runBin('vitest', ['run', '--project', 'pure', 'fuzz/fuzz.test.ts'], {
        LOCKSTEP_FUZZ_SEED: String(seed),
        ...(values.cases === undefined
          ? { LOCKSTEP_FUZZ_MINUTES: values.minutes }
          : { LOCKSTEP_FUZZ_CASES: values.cases }),
        ...(values.only === undefined ? {} : { LOCKSTEP_FUZZ_ONLY: values.only }),
      });
if (status !== 0) console.error(`Failed with seed ${seed}. Keep the counterexample in fuzz/regressions.json.`);
process.exit(status);
