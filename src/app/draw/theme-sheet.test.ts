import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readThemes, ruleOf } from './theme-sheet';

const css = readFileSync(new URL('./theme.css', import.meta.url), 'utf8');

/** The colours of a palette, with their paths. */
function coloursIn(part: unknown, path: string): [string, string][] {
  if (typeof part === 'string') return [[path, part]];
  if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) return [];
  return Object.entries(part).flatMap(([key, inner]) => coloursIn(inner, `${path}.${key}`));
}

test('both themes have every colour of a palette', () => {
  const { light, dark } = readThemes(css);
  for (const [path, colour] of [...coloursIn(light.palette, 'light'), ...coloursIn(dark.palette, 'dark')])
    expect(colour, path).not.toBe('');
  expect(dark.palette.dark).toBe(true);
});

test('colours that the dark theme does not change are as in the light theme', () => {
  const { light, dark } = readThemes(
    ':root { --paper: white; --sans: serif; } :root[data-theme="dark"] { --paper: black; }',
  );
  expect([light.palette.paper, dark.palette.paper]).toEqual(['white', 'black']);
  expect([light.palette.sans, dark.palette.sans]).toEqual(['serif', 'serif']);
});

test('a sheet without a rule for a theme is refused', () => {
  expect(() => ruleOf(':root { }', 'dark')).toThrow('theme.css has no rule :root[data-theme="dark"]');
});
