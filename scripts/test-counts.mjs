/**
 * Reads the JSON reports of Vitest and Playwright into counts and problems. A report that is missing, a run that ended
 * badly although all tests passed, a skipped test, and a test group without tests are problems: CI must not pass by not
 * testing.
 */
import { existsSync, readFileSync } from 'node:fs';

/** @typedef {{passed: number, failed: number}} Counts */

/** @param {string} file */
const projectOf = (file) => (file.endsWith('.gpu.test.ts') ? 'gpu' : file.endsWith('.null.test.ts') ? 'null' : 'pure');

/**
 * @param {string} reportFile
 * @param {number} status
 * @returns {Counts & {projects: Record<string, Counts>, problems: string[]}}
 */
export function vitestCounts(reportFile, status) {
  /** @type {Record<string, Counts>} */
  const projects = { pure: { passed: 0, failed: 0 }, null: { passed: 0, failed: 0 }, gpu: { passed: 0, failed: 0 } };
  /** @type {string[]} */
  const problems = [];
  if (existsSync(reportFile)) {
    for (const file of JSON.parse(readFileSync(reportFile, 'utf8')).testResults) {
      const counts = projects[projectOf(file.name)];
      if (!counts) continue;
      // A file that does not load has failed without any test in it.
      if (
        file.status === 'failed' &&
        file.assertionResults.every((/** @type {{status: string}} */ test) => test.status !== 'failed')
      )
        counts.failed += 1;
      for (const test of file.assertionResults) {
        if (test.status === 'passed') counts.passed += 1;
        else if (test.status === 'failed') counts.failed += 1;
        else problems.push(`${file.name}: "${test.fullName}" did not run (${test.status})`);
      }
    }
  } else {
    problems.push('Vitest left no report');
  }
  for (const [name, counts] of Object.entries(projects)) {
    if (counts.passed + counts.failed === 0) problems.push(`no test of the project "${name}" ran`);
  }
  const sum = total(Object.values(projects));
  if (status !== 0 && sum.failed === 0) problems.push(`Vitest ended with status ${status}`);
  return { ...sum, projects, problems };
}

/**
 * @param {string} reportFile
 * @param {number} status
 * @returns {Counts & {problems: string[]}}
 */
export function playwrightCounts(reportFile, status) {
  /** @type {string[]} */
  const problems = [];
  if (!existsSync(reportFile)) return { passed: 0, failed: 0, problems: ['Playwright left no report'] };
  const { stats } = JSON.parse(readFileSync(reportFile, 'utf8'));
  const counts = { passed: stats.expected + stats.flaky, failed: stats.unexpected };
  if (stats.skipped > 0) problems.push(`${stats.skipped} browser tests were skipped`);
  if (counts.passed + counts.failed === 0) problems.push('no browser test ran');
  if (status !== 0 && counts.failed === 0) problems.push(`Playwright ended with status ${status}`);
  return { ...counts, problems };
}

/** @param {Counts[]} list @returns {Counts} */
function total(list) {
  return list.reduce((sum, each) => ({ passed: sum.passed + each.passed, failed: sum.failed + each.failed }), {
    passed: 0,
    failed: 0,
  });
}
