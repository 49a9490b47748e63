/**
 * Runs one packed test file, or without a name all files, several at a time: `node run.mjs [FILE]`. Prints each failure
 * and one line per file, and writes results.json. Exits with status 1 if a test failed.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startTests } from '@vitest/runner';
import { restoreAllMocks } from '@vitest/spy';
import { globals } from 'webgpu';

const here = path.dirname(fileURLToPath(import.meta.url));
/** The folder in which packed modules find the files that they read. */
Reflect.set(globalThis, 'LOCKSTEP_PACK', pathToFileURL(`${here}/`));

/** @returns {any} */
function runner() {
  return {
    config: {
      root: here,
      setupFiles: [],
      passWithNoTests: false,
      allowOnly: true,
      sequence: { shuffle: false, concurrent: false, seed: 0, hooks: 'stack', setupFiles: 'list' },
      maxConcurrency: 1,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      retry: 0,
      includeTaskLocation: false,
      tags: [],
      strictTags: false,
    },
    importFile: (/** @type {string} */ file) => import(pathToFileURL(file).href),
    onAfterTryTask: () => void restoreAllMocks(),
  };
}

/** @param {any} task @returns {any[]} */
const testsOf = (task) => (task.type === 'test' ? [task] : task.tasks.flatMap(testsOf));
/** @param {any} task @returns {string} */
const nameOf = (task) => (task.suite && task.suite.name !== '' ? `${nameOf(task.suite)} > ${task.name}` : task.name);

/** @param {string} file @param {string} out */
async function runFile(file, out) {
  Object.assign(globalThis, globals);
  const started = Date.now();
  const [found] = await startTests([path.join(here, file)], runner());
  const tests = testsOf(found);
  const result = {
    file,
    seconds: (Date.now() - started) / 1000,
    passed: tests.filter(({ result }) => result?.state === 'pass').length,
    skipped: tests.filter(({ mode }) => mode === 'skip' || mode === 'todo').length,
    failed: [found, ...tests]
      .filter((task) => (task === found ? task.result?.errors?.length : task.result?.state === 'fail'))
      .map((task) => ({
        name: nameOf(task),
        errors: (task.result.errors ?? []).map(
          (/** @type {Error} */ { message, stack = '' }) => `${message}\n${stack.slice(0, 600)}`,
        ),
      })),
  };
  writeFileSync(out, JSON.stringify(result));
  process.exit(0);
}

async function runAll() {
  const files = readdirSync(here).filter((name) => name.endsWith('.gpu.test.mjs'));
  const left = [...files];
  /** @type {any[]} */
  const results = [];
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const running = new Set();
  process.on('SIGTERM', () => {
    for (const child of running) child.kill('SIGKILL');
    process.exit(1);
  });
  const limit = Number(process.env['LOCKSTEP_TEST_SECONDS'] ?? 150);
  const lane = async () => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      const out = path.join(process.cwd(), `${file}.json`);
      const started = Date.now();
      const child = spawn(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), file, out]);
      running.add(child);
      let words = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (words += data));
      const timer = setTimeout(() => child.kill('SIGKILL'), limit * 1000);
      const code = await new Promise((resolve) => child.on('close', (status, signal) => resolve(signal ?? status)));
      clearTimeout(timer);
      running.delete(child);
      let result;
      try {
        result = JSON.parse(readFileSync(out, 'utf8'));
      } catch {
        result = {
          file,
          passed: 0,
          skipped: 0,
          failed: [{ name: `ended with ${code}`, errors: [words.slice(-1500)] }],
        };
      }
      results.push({ ...result, seconds: (Date.now() - started) / 1000, words: words.slice(-300) });
      console.log(
        `${file}: ${result.passed} passed, ${result.failed.length} failed, ${((Date.now() - started) / 1000).toFixed(1)} s`,
      );
      for (const { name, errors } of result.failed)
        console.log(`  FAILED ${name}\n    ${errors.join('\n').slice(0, 500).replaceAll('\n', '\n    ')}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(10, availableParallelism()) }, lane));
  writeFileSync('results.json', JSON.stringify(results, null, 1));
  const count = (/** @type {(r: any) => number} */ of) => results.reduce((sum, each) => sum + of(each), 0);
  console.log(`${results.length} files: ${count((r) => r.passed)} passed, ${count((r) => r.failed.length)} failed`);
  process.exit(count((r) => r.failed.length) > 0 ? 1 : 0);
}

const [, , file, out] = process.argv;
await (file === undefined ? runAll() : runFile(file, out ?? 'result.json'));
