/**
 * One pattern, one meaning, in every legend: stripes where computation hides communication, dots where something waits.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Idle is drawn as dots on the background; a rank that has joined a collective and waits for the last one, as dots on
 * its colour.
 */
const MEANINGS: Readonly<Record<string, RegExp>> = {
  hidden: /^var\(--pattern-hidden\)$/,
  idle: /^var\(--pattern-waiting\)$/,
  waits: /^radial-gradient\(.*var\(--phase-comm-edge\)/,
};
const styles = readdirSync('src/app', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.module.css'),
);
const files = styles.map((name) => `src/app/${name}`).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const rules = files.flatMap(({ file, text }) =>
  [...text.matchAll(/\[data-(?:kind|look)="(\w+)"\] \{\s*background:\s*([^;]+);/g)].map(
    ([, kind = '', paint = '']) => ({
      file,
      kind,
      paint,
    }),
  ),
);

test.each(Object.entries(MEANINGS))('%s looks the same everywhere', (kind, paint) => {
  const found = rules.filter((rule) => rule.kind === kind);
  expect(found.length).toBeGreaterThan(0);
  for (const rule of found) expect(rule, rule.file).toMatchObject({ paint: expect.stringMatching(paint) });
});

test('no style draws a pattern of its own', () => {
  for (const { file, text } of files) expect(text, file).not.toMatch(/repeating-linear-gradient/);
});
