/** docs/reports.md is correct: its example is a report by the schema, and its snippet equals the page's. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readReport } from './read-report';

const page = readFileSync(new URL('../../docs/reports.md', import.meta.url), 'utf8');

test('the example is a report', () => {
  const [, text = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const report = readReport(JSON.parse(text), 'example');
  expect(report.losses.map(({ loss }) => loss)).toEqual([0.75, 0.67, NaN]);
  expect([...(report.weights?.get('0.scale')?.values ?? [])]).toEqual([1]);
  expect(report.history?.[0]?.gradients.get('0.bias')?.norm).toBe(0.5);
});

test('the snippet has five lines', () => {
  const [, snippet = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
  expect(snippet.trimEnd().split('\n')).toHaveLength(5);
});
