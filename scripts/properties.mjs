/**
 * `npm run properties [-- --seed 7]`: runs the property tests with the given seed, or draws a new seed. Prints the seed
 * first, so that a failure can be repeated.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { ensureInstalled } from './install.mjs';
import { readArguments } from './read-arguments.mjs';

const { values } = readArguments({
  command: 'npm run properties --',
  about: 'Runs the property tests with another seed and prints it first. The same seed repeats a failure.',
  options: { seed: { value: 'N', help: 'A whole number; without it, a new one is drawn.' } },
});
ensureInstalled();
const { runBin } = await import('./run-bin.mjs');
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!Number.isSafeInteger(seed)) {
  console.error(`--seed must be a whole number, not "${values.seed}".`);
  process.exit(2);
}
const files = ['src', 'fuzz']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((file) => `${folder}/${String(file).replaceAll('\\', '/')}`),
  )
  .filter((file) => /(?<!gpu)(?<!null)\.test\.ts$/.test(file) && readFileSync(file, 'utf8').includes("'fast-check'"));
console.log(`Seed ${seed}; again with: npm run properties -- --seed ${seed}`);
process.exit(await runBin('vitest', ['run', '--project', 'pure', ...files], { LOCKSTEP_PROPERTY_SEED: String(seed) }));
