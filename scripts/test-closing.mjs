/**
 * The last lines of a test run: how many tests passed and failed, which failed, and with which message. Called by
 * test.mjs.
 */
import { noTorchBanner } from './find-torch.mjs';
import { failureLines, problemLines } from './test-counts.mjs';

/**
 * @typedef {object} Closing
 * @property {number} passed
 * @property {number} failed
 * @property {import('./test-counts.mjs').Failure[]} failures
 * @property {string[]} problems what fails a run without a failed test
 * @property {import('./tiers.mjs').TierTest[]} tests
 */

/** The sum. @param {readonly Closing[]} parts @returns {Closing} */
export const closing = (parts) => ({
  passed: parts.reduce((sum, { passed }) => sum + passed, 0),
  failed: parts.reduce((sum, { failed }) => sum + failed, 0),
  failures: parts.flatMap(({ failures }) => failures),
  problems: parts.flatMap(({ problems }) => problems),
  tests: parts.flatMap(({ tests }) => tests),
});

/**
 * @param {Closing} sum
 * @param {boolean} torch whether this machine has PyTorch
 * @returns {number} the exit status
 */
export function printClosing({ passed, failed, failures, problems }, torch) {
  if (!torch) console.log(noTorchBanner('what runs in it was not tested.'));
  const also = problems.length > 0 ? `, and ${problems.length} problems, which fail the run too` : '';
  console.log(`${passed} passed, ${failed} failed${also}${torch ? '' : ', WITHOUT the tests that run in PyTorch'}`);
  for (const line of [...failureLines(failures), ...problemLines(problems)]) console.log(line);
  return failed === 0 && problems.length === 0 ? 0 : 1;
}
