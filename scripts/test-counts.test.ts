import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureLines, playwrightCounts, problemLines, vitestCounts } from './test-counts.mjs';

describe('counting tests', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'lockstep-counts-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const report = (content: unknown): string => {
    const file = path.join(folder, 'report.json');
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const suite = (name: string, ...statuses: string[]) => ({
    name,
    status: statuses.includes('failed') ? 'failed' : 'passed',
    assertionResults: statuses.map((status) => ({ status, fullName: 'a test' })),
  });
  const all = [
    suite('a.test.ts', 'passed', 'passed'),
    suite('b.null.test.ts', 'passed'),
    suite('c.torch.test.ts', 'passed'),
    suite('d.gpu.test.ts', 'passed'),
  ];

  it('sums the projects', () => {
    const counts = vitestCounts(report({ testResults: all }), 0);
    expect(counts).toMatchObject({ passed: 5, failed: 0, problems: [] });
    expect(counts.projects['gpu']).toEqual({ passed: 1, failed: 0 });
  });

  it('does not pass without GPU tests, with a skipped test, without a report, or if the runner failed', () => {
    expect(vitestCounts(report({ testResults: all.slice(0, 3) }), 0).problems).toEqual([
      'no test of the project "gpu" ran',
    ]);
    const skipped = [...all, suite('d.gpu.test.ts', 'skipped')];
    expect(vitestCounts(report({ testResults: skipped }), 0).problems).toEqual([
      'd.gpu.test.ts: "a test" did not run (skipped)',
    ]);
    expect(vitestCounts(path.join(folder, 'none.json'), 1).problems).toContain('Vitest left no report');
    expect(vitestCounts(report({ testResults: all }), 1).problems).toEqual(['Vitest ended with status 1']);
  });

  it('counts a file that cannot be loaded as a failure', () => {
    const broken = { name: 'e.test.ts', status: 'failed', assertionResults: [] };
    expect(vitestCounts(report({ testResults: [...all, broken] }), 1)).toMatchObject({
      passed: 5,
      failed: 1,
      problems: [],
    });
  });

  it('reads Playwright’s report', () => {
    const stats = { expected: 3, unexpected: 1, flaky: 0, skipped: 0 };
    expect(playwrightCounts(report({ stats }), 1)).toMatchObject({ passed: 3, failed: 1, problems: [] });
    expect(playwrightCounts(report({ stats: { ...stats, skipped: 2 } }), 1).problems).toEqual([
      '2 browser tests were skipped',
    ]);
    expect(playwrightCounts(path.join(folder, 'none.json'), 1).problems).toEqual(['Playwright left no report']);
  });

  it('lists Vitest’s failed tests with their messages, and files that could not be loaded', () => {
    const testResults = [
      ...all,
      {
        name: 'e.test.ts',
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'a group of tests fine' },
          {
            status: 'failed',
            fullName: 'a group of tests wrong',
            failureMessages: ['Error: 1 is not 2\n  at e.test.ts:3'],
          },
        ],
      },
      { name: 'f.null.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ];
    expect(failureLines(vitestCounts(report({ testResults }), 1).failures)).toEqual([
      'e.test.ts: a group of tests wrong',
      '    Error: 1 is not 2',
      '      at e.test.ts:3',
      'f.null.test.ts: the file itself',
      '    no such module',
    ]);
    expect(failureLines(vitestCounts(report({ testResults: all }), 0).failures)).toEqual([]);
  });

  it('lists failed browser tests, tests that passed only when repeated, and failures outside of tests', () => {
    const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
    const spec = (title: string, line: number, status: string, ...errors: string[]) => ({
      title,
      file: 'page.spec.ts',
      line,
      tests: [{ status, results: errors.map((message) => ({ errors: [{ message: red(message) }] })) }],
    });
    const stats = { expected: 1, unexpected: 1, flaky: 1, skipped: 0 };
    const inner = { title: 'on a phone', file: 'page.spec.ts', specs: [spec('scrolls', 7, 'unexpected', 'too\nwide')] };
    const specs = [spec('opens', 1, 'expected'), spec('closes', 3, 'flaky', 'slow')];
    const suites = [{ title: 'page.spec.ts', file: 'page.spec.ts', specs, suites: [inner] }];
    const errors = [{ message: 'the server did not start' }];
    expect(failureLines(playwrightCounts(report({ stats, suites, errors }), 1).failures)).toEqual([
      'Playwright: outside of the tests',
      '    the server did not start',
      'page.spec.ts:3: closes (passed when tried again)',
      '    slow',
      'page.spec.ts:7: on a phone > scrolls',
      '    too',
      '    wide',
    ]);
  });

  it('prints no more lines than the end of a log can have', () => {
    const failures = Array.from({ length: 23 }, (_, i) => ({
      file: `${i}.test.ts`,
      name: 'a test',
      message: Array.from({ length: 15 }, (_, line) => `line ${line}`).join('\n'),
    }));
    const lines = failureLines(failures);
    expect(lines.slice(0, 2)).toEqual(['0.test.ts: a test', '    line 0']);
    expect(lines.slice(12, 15)).toEqual(['    line 11', '    (3 more lines)', '1.test.ts: a test']);
    expect(lines).toHaveLength(20 * 14 + 1);
    expect(lines.at(-1)).toBe('(3 more failures)');
    const problems = problemLines(Array.from({ length: 22 }, (_, i) => `test ${i} did not run`));
    expect([problems[0], problems.length, problems.at(-1)]).toEqual([
      'Problem: test 0 did not run',
      21,
      '(2 more problems)',
    ]);
  });
});
