/** docs/distributed.md is true: every example with an output under it is run, and prints that. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { onStillClock } from '../base/testing/still-clock';
import { parseLaunchLine } from '../launch/parse-launch-line';
import { Cluster } from './cluster';
import { launch, spawn } from './launch/spawn';
import { full, ones, tensor, zeros } from './tensor';

const page = readFileSync(new URL('../../docs/distributed.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```js\n([\s\S]*?)```\n```text\n([\s\S]*?)```/g)];
const SCOPE = { spawn, launch, Cluster, parseLaunchLine, tensor, full, ones, zeros };

test('the page has examples, and each has an output', () => {
  expect(blocks.length).toBeGreaterThan(4);
  expect(blocks).toHaveLength(page.split('```js\n').length - 1);
});

test.each(blocks.map(([, code = '', output = ''], i) => ({ i: i + 1, code, output })))(
  'example $i',
  async ({ code, output }) => {
    const printed: string[] = [];
    const print = (value: unknown) => printed.push(typeof value === 'string' ? value : JSON.stringify(value));
    const source = `export default async ({ ${Object.keys(SCOPE).join(', ')}, print }) => {\n${code}\n};`;
    const { default: run } = (await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`
    )) as {
      readonly default: (scope: unknown) => Promise<void>;
    };
    await onStillClock(() => run({ ...SCOPE, print }));
    expect(printed.join('\n')).toBe(output.trimEnd());
  },
);
