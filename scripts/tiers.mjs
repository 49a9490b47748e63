/**
 * The tiers of tests: `npm test` runs the quick tier, `npm run test:all` runs all tests, and `npm run test:all --
 * --rest` the tests that the quick tier leaves out. Each test says to which tier it belongs (scripts/tier.ts). This
 * file has the runners' options for a tier, and the rules that a tier must fulfil. Read by test.mjs, test-counts.mjs
 * and vite.config.ts; runs nothing.
 */
import path from 'node:path';

/** @typedef {'quick' | 'rest' | 'all'} Tier */
/**
 * A test from the reports of Vitest and Playwright. Every test has a different `id`.
 * @typedef {{id: string, file: string, kind: string, tags: readonly string[], reason?: string, ran: boolean,
 *   ms: number}} TierTest
 */

/** Kinds of tests, by what they need. */
export const KINDS = ['pure', 'null', 'torch', 'gpu', 'browser'];

/** The modes, as protocol/config names them. @type {readonly import('../src/protocol/config').Mode[]} */
export const MODES = [
  'single',
  'dataParallel',
  'ddp',
  'modelParallel',
  'pipeline',
  'sharded',
  'tensor',
  'parameterServer',
];

/** Modes that each kind of tests has to train in the quick tier. The null backend computes nothing. */
const TRAINED = new Map([
  ['pure', MODES],
  // PyTorch before 2.5 has no pipelines, and no parallelize_module of this form.
  ['torch', MODES.filter((mode) => !['pipeline', 'sharded', 'tensor'].includes(mode))],
  ['gpu', MODES],
  ['browser', MODES],
]);

/**
 * Vitest refuses every other tag.
 *
 * @type {{name: import('../src/protocol/config').Mode | 'rest', description: string}[]}
 */
export const TAGS = [
  { name: 'rest', description: 'Only `npm run test:all` runs it.' },
  ...MODES.map((name) => ({ name, description: `Trains in mode ${name}.` })),
];

/** @param {Tier} tier @returns {string[]} arguments of Vitest */
export const vitestTier = (tier) => (tier === 'all' ? [] : ['--tags-filter', tier === 'rest' ? 'rest' : '!rest']);

/** @param {Tier} tier @returns {string[]} arguments of Playwright */
export const playwrightTier = (tier) =>
  tier === 'all' ? [] : [tier === 'rest' ? '--grep' : '--grep-invert', '@rest\\b'];

/** Whether a test with these tags belongs to the tier. @param {Tier} tier @param {readonly string[]} tags */
export const belongs = (tier, tags) => tier === 'all' || tags.includes('rest') === (tier === 'rest');

/**
 * The room of a test file: src/base/part.test.ts is in src/base, learn/ddp/claims.test.ts in learn.
 * @param {string} file from the root
 */
const roomOf = (file) => {
  const [first = '', second = ''] = file.split(/[\\/]/);
  return first === 'src' ? path.posix.join(first, second) : first;
};

/**
 * What is missing in the quick tier: a kind of tests, a mode in one of the kinds that train, or a room without any
 * test.
 *
 * @param {readonly TierTest[]} tests all tests, also those that are left
 * @param {readonly string[]} kinds those that can run here
 * @param {readonly string[]} [restFiles] files that were not loaded, from the root
 * @returns {string[]}
 */
export function missingInQuick(tests, kinds, restFiles = []) {
  const quick = tests.filter(({ ran }) => ran);
  const rooms = (/** @type {readonly {file: string}[]} */ of) => new Set(of.map(({ file }) => roomOf(file)));
  const ran = rooms(quick);
  return [
    ...kinds
      .filter((kind) => !quick.some((test) => test.kind === kind))
      .map((kind) => `the quick tier has no ${kind} test`),
    ...kinds.flatMap((kind) =>
      (TRAINED.get(kind) ?? [])
        .filter((mode) => !quick.some((test) => test.kind === kind && test.tags.includes(mode)))
        .map((mode) => `the quick tier has no ${kind} test that trains in mode ${mode}`),
    ),
    ...[...rooms([...tests, ...restFiles.map((file) => ({ file }))])]
      .filter((room) => !ran.has(room))
      .map((room) => `the quick tier has no test of ${room}`),
  ];
}

/**
 * The tests that did not run exactly once in the quick tier and the rest together.
 *
 * @param {readonly TierTest[]} quick the tests of a quick run
 * @param {readonly TierTest[]} rest the tests of the run of the rest
 * @returns {string[]}
 */
export function notOnce(quick, rest) {
  const [first, second] = [quick, rest].map((tests) => new Set(tests.filter(({ ran }) => ran).map(({ id }) => id)));
  const all = new Set([...quick, ...rest].map(({ id }) => id));
  return [...all].flatMap((id) => {
    const times = Number(first?.has(id)) + Number(second?.has(id));
    return times === 1 ? [] : [`${id} ran ${times === 0 ? 'in neither tier' : 'in both tiers'}`];
  });
}

/**
 * @param {readonly TierTest[]} tests
 * @param {ReadonlyMap<string, string>} [restFiles] why a file is left as a whole
 * @returns {string[]}
 */
export const withoutReason = (tests, restFiles = new Map()) => [
  ...tests
    .filter(({ tags, reason = '', file }) => tags.includes('rest') && reason.trim() === '' && !restFiles.has(file))
    .map(({ id }) => `${id} is left for test:all without a reason: place({ rest: 'why' })`),
  ...[...restFiles]
    .filter(([, reason]) => reason === '')
    .map(([file]) => `${file} is left for test:all without a reason after @module-tag rest`),
];

/** The quick tier should not take longer than this on two cores that do nothing else. */
const QUICK_SECONDS = 480;

/**
 * Advice, with the slowest tests, if the quick tier has become slow. It fails no run, because machines differ.
 *
 * @param {number} seconds
 * @param {readonly TierTest[]} tests
 * @returns {string[]} lines
 */
export function slowLines(seconds, tests) {
  if (seconds <= QUICK_SECONDS) return [];
  const slowest = [...tests].sort((a, b) => b.ms - a.ms).slice(0, 10);
  return [
    `npm test is meant to take at most ${QUICK_SECONDS / 60} minutes on two quiet cores. Its slowest tests, one of which`,
    'may belong into the rest (scripts/tier.ts):',
    ...slowest.map(({ id, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${id}`),
  ];
}
