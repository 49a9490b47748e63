/**
 * Reads the JSON reports of Vitest and Playwright into counts, failures and problems. Problems are: a missing report, a
 * run that ended badly although all tests passed, a skipped test, and a project without tests, because CI must not pass
 * without testing. Failures are printed once more at the end of the run, because often only the end of a log is kept.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './install.mjs';
import { belongs } from './tiers.mjs';

/** @typedef {{passed: number, failed: number}} Counts */
/** @typedef {import('./tiers.mjs').Tier} Tier */
/** @typedef {import('./tiers.mjs').TierTest} TierTest */
/** @typedef {{file: string, name: string, message: string}} Failure `file`: with the line, where it is known. */

/** The most failures and problems printed at the end of a run, and the most lines of a failure. */
const FAILURES = 20;
const LINES = 12;

/**
 * The lines about failed tests at the end of a log.
 *
 * @param {readonly Failure[]} failures
 * @returns {string[]} lines
 */
export function failureLines(failures) {
  const lines = failures.slice(0, FAILURES).flatMap(({ file, name, message }) => {
    const said = stripVTControlCharacters(message).trimEnd().split('\n');
    return [
      `${file}: ${name}`,
      ...said.slice(0, LINES).map((line) => `    ${line}`),
      ...(said.length > LINES ? [`    (${said.length - LINES} more lines)`] : []),
    ];
  });
  return failures.length > FAILURES ? [...lines, `(${failures.length - FAILURES} more failures)`] : lines;
}

/**
 * The lines at the end of a log about causes that fail a run without a failed test.
 *
 * @param {readonly string[]} problems
 * @returns {string[]} lines
 */
export const problemLines = (problems) => [
  ...problems.slice(0, FAILURES).map((problem) => `Problem: ${problem}`),
  ...(problems.length > FAILURES ? [`(${problems.length - FAILURES} more problems)`] : []),
];

const PROJECTS = ['pure', 'null', 'torch', 'gpu'];

/** @param {string} file */
const projectOf = (file) => PROJECTS.find((name) => file.endsWith(`.${name}.test.ts`)) ?? 'pure';

/** @param {string} file absolute, as Vitest reports it */
const fromRoot = (file) => (path.isAbsolute(file) ? path.relative(root, file) : file).replaceAll(path.sep, '/');

/**
 * `tests` has all tests of the loaded files, also tests of the other tier.
 *
 * @param {string} reportFile
 * @param {number} status
 * @param {Tier} [tier]
 * @returns {Counts & {projects: Record<string, Counts>, failures: Failure[], problems: string[], tests: TierTest[]}}
 */
export function vitestCounts(reportFile, status, tier = 'all') {
  /** @type {Record<string, Counts>} */
  const projects = Object.fromEntries(PROJECTS.map((name) => [name, { passed: 0, failed: 0 }]));
  /** @type {string[]} */
  const problems = [];
  /** @type {Failure[]} */
  const failures = [];
  /** @type {TierTest[]} */
  const tests = [];
  if (existsSync(reportFile)) {
    for (const file of JSON.parse(readFileSync(reportFile, 'utf8')).testResults) {
      const counts = projects[projectOf(file.name)];
      if (!counts) continue;
      // A file that cannot be loaded is a failure, although it has no failed test.
      if (
        file.status === 'failed' &&
        file.assertionResults.every((/** @type {{status: string}} */ test) => test.status !== 'failed')
      ) {
        counts.failed += 1;
        failures.push({ file: file.name, name: 'the file itself', message: file.message ?? '' });
      }
      /** Some tables contain the same name twice. @type {Map<string, number>} */
      const names = new Map();
      for (const test of file.assertionResults) {
        const { status, fullName, tags = [], meta = {} } = test;
        const ran = status === 'passed' || status === 'failed';
        const times = (names.get(fullName) ?? 0) + 1;
        names.set(fullName, times);
        const id = `${fromRoot(file.name)}: ${fullName}${times > 1 ? ` (${times})` : ''}`;
        tests.push({
          id,
          file: fromRoot(file.name),
          kind: projectOf(file.name),
          tags,
          reason: meta.rest,
          ran,
          ms: test.duration ?? 0,
        });
        if (status === 'passed') counts.passed += 1;
        else if (status === 'failed') {
          counts.failed += 1;
          const message = (test.failureMessages ?? []).join('\n');
          failures.push({ file: file.name, name: fullName, message });
        } else if (belongs(tier, tags)) problems.push(`${file.name}: "${fullName}" did not run (${status})`);
      }
    }
  } else {
    problems.push('Vitest left no report');
  }
  for (const [name, counts] of Object.entries(projects)) {
    if (tier !== 'rest' && counts.passed + counts.failed === 0) problems.push(`no test of the project "${name}" ran`);
  }
  const sum = total(Object.values(projects));
  if (status !== 0 && sum.failed === 0) problems.push(`Vitest ended with status ${status}`);
  return { ...sum, projects, failures, problems, tests };
}

/**
 * @typedef {{message?: string}} PlaywrightError
 * @typedef {{type: string, description?: string}} PlaywrightNote
 * @typedef {{errors?: PlaywrightError[], error?: PlaywrightError, duration?: number}} PlaywrightResult
 * @typedef {{status: string, results: PlaywrightResult[], annotations?: PlaywrightNote[]}} PlaywrightTest
 * @typedef {{title: string, file: string, line: number, tags?: string[], tests: PlaywrightTest[]}} PlaywrightSpec
 * @typedef {{title: string, file?: string, specs?: PlaywrightSpec[], suites?: PlaywrightSuite[]}} PlaywrightSuite
 */

/**
 * Failed tests, and tests that passed only when they were repeated.
 *
 * @param {readonly PlaywrightSuite[]} suites
 * @param {readonly string[]} [within] titles around them
 * @returns {Failure[]}
 */
const playwrightFailures = (suites, within = []) =>
  suites.flatMap(({ title, file, specs = [], suites: inner = [] }) => {
    // The outermost suite has its file's name.
    const titles = title === file ? within : [...within, title];
    const own = specs.flatMap((spec) =>
      spec.tests
        .filter(({ status }) => status === 'unexpected' || status === 'flaky')
        .map(({ status, results }) => ({
          file: `${spec.file}:${spec.line}`,
          name: [...titles, spec.title].join(' > ') + (status === 'flaky' ? ' (passed when tried again)' : ''),
          message: results
            .flatMap(({ errors, error }) => errors ?? (error ? [error] : []))
            .map(({ message }) => message ?? '')
            .join('\n'),
        })),
    );
    return [...own, ...playwrightFailures(inner, titles)];
  });

/**
 * @param {readonly PlaywrightSuite[]} suites
 * @param {readonly string[]} [within] titles around them
 * @returns {TierTest[]}
 */
const playwrightTests = (suites, within = []) =>
  suites.flatMap(({ title, file, specs = [], suites: inner = [] }) => {
    const titles = title === file ? within : [...within, title];
    const own = specs.map((spec) => ({
      id: `e2e/${spec.file}: ${[...titles, spec.title].join(' > ')}`,
      file: `e2e/${spec.file}`,
      kind: 'browser',
      tags: (spec.tags ?? []).map((tag) => tag.replace(/^@/, '')),
      ...reasonOf(spec.tests),
      ran: spec.tests.some(({ results }) => results.length > 0),
      ms: spec.tests.flatMap(({ results }) => results).reduce((sum, { duration = 0 }) => sum + duration, 0),
    }));
    return [...own, ...playwrightTests(inner, titles)];
  });

/** @param {readonly PlaywrightTest[]} tests */
function reasonOf(tests) {
  const reason = tests.flatMap(({ annotations = [] }) => annotations).find(({ type }) => type === 'rest')?.description;
  return reason === undefined ? {} : { reason };
}

/**
 * The output of `playwright test --list`: none of these tests has run.
 *
 * @param {string} reportFile
 * @returns {TierTest[]}
 */
export const playwrightListed = (reportFile) =>
  existsSync(reportFile) ? playwrightTests(JSON.parse(readFileSync(reportFile, 'utf8')).suites ?? []) : [];

/**
 * @param {string} reportFile
 * @param {number} status
 * @returns {Counts & {failures: Failure[], problems: string[], tests: TierTest[]}}
 */
export function playwrightCounts(reportFile, status) {
  /** @type {string[]} */
  const problems = [];
  if (!existsSync(reportFile)) {
    return { passed: 0, failed: 0, failures: [], problems: ['Playwright left no report'], tests: [] };
  }
  const { stats, suites = [], errors = [] } = JSON.parse(readFileSync(reportFile, 'utf8'));
  const counts = { passed: stats.expected + stats.flaky, failed: stats.unexpected };
  if (stats.skipped > 0) problems.push(`${stats.skipped} browser tests were skipped`);
  if (counts.passed + counts.failed === 0) problems.push('no browser test ran');
  if (status !== 0 && counts.failed === 0) problems.push(`Playwright ended with status ${status}`);
  // Failures outside of tests: a server that did not start, a file that cannot be loaded.
  const outside = errors.map((/** @type {PlaywrightError} */ { message = '' }) => ({
    file: 'Playwright',
    name: 'outside of the tests',
    message,
  }));
  return {
    ...counts,
    failures: [...outside, ...playwrightFailures(suites)],
    problems,
    tests: playwrightTests(suites),
  };
}

/** @param {Counts[]} list @returns {Counts} */
function total(list) {
  return list.reduce((sum, each) => ({ passed: sum.passed + each.passed, failed: sum.failed + each.failed }), {
    passed: 0,
    failed: 0,
  });
}
