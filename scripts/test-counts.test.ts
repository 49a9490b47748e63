import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playwrightCounts, vitestCounts } from './test-counts.mjs';

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
    suite('c.gpu.test.ts', 'passed'),
  ];

  it('sums the projects', () => {
    const counts = vitestCounts(report({ testResults: all }), 0);
    expect(counts).toMatchObject({ passed: 4, failed: 0, problems: [] });
    expect(counts.projects['gpu']).toEqual({ passed: 1, failed: 0 });
  });

  it('does not pass without GPU tests, with a skipped one, without a report, or after a bad end', () => {
    expect(vitestCounts(report({ testResults: all.slice(0, 2) }), 0).problems).toEqual([
      'no test of the project "gpu" ran',
    ]);
    const skipped = [...all, suite('d.gpu.test.ts', 'skipped')];
    expect(vitestCounts(report({ testResults: skipped }), 0).problems).toEqual([
      'd.gpu.test.ts: "a test" did not run (skipped)',
    ]);
    expect(vitestCounts(path.join(folder, 'none.json'), 1).problems).toContain('Vitest left no report');
    expect(vitestCounts(report({ testResults: all }), 1).problems).toEqual(['Vitest ended with status 1']);
  });

  it('counts a file that does not load as a failure', () => {
    const broken = { name: 'e.test.ts', status: 'failed', assertionResults: [] };
    expect(vitestCounts(report({ testResults: [...all, broken] }), 1)).toMatchObject({
      passed: 4,
      failed: 1,
      problems: [],
    });
  });

  it('reads what Playwright left', () => {
    const stats = { expected: 3, unexpected: 1, flaky: 0, skipped: 0 };
    expect(playwrightCounts(report({ stats }), 1)).toEqual({ passed: 3, failed: 1, problems: [] });
    expect(playwrightCounts(report({ stats: { ...stats, skipped: 2 } }), 1).problems).toEqual([
      '2 browser tests were skipped',
    ]);
    expect(playwrightCounts(path.join(folder, 'none.json'), 1).problems).toEqual(['Playwright left no report']);
  });
});
