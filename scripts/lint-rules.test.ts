/**
 * The project's own lint rules (lint/*.grit) find the code that they forbid. If Biome cannot parse a rule, it only
 * prints an information, and the rule would find nothing.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MODES } from './tiers.mjs';

const root = path.resolve(import.meta.dirname, '..');
const RULES = /React calls the returned value|Loading a part on demand|Ask the mode's descriptor/;

/** The numbers of the lines in which our rules would find an error if this code were in this file of the project. */
function complaints(file: string, lines: readonly string[]): readonly number[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(path.join(root, 'biome.json'), path.join(folder, 'biome.json'));
  cpSync(path.join(root, 'lint'), path.join(folder, 'lint'), { recursive: true });
  mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(folder, file), lines.join('\n'));
  const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');
  // The output goes to a file, because Biome truncates output that it writes to a pipe.
  const out = path.join(folder, 'out.txt');
  const options = ['lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', file];
  spawnSync(process.execPath, [biome, ...options], { cwd: folder, stdio: ['ignore', openSync(out, 'w'), 'ignore'] });
  const said = readFileSync(out, 'utf8')
    .split('\n')
    .filter((line) => RULES.test(line));
  return [...new Set(said.map((line) => Number(/\bline=(\d+)/.exec(line)?.[1])))].sort((a, b) => a - b);
}

test('an effect or a ref callback that returns the result of a call is found', () => {
  const code = [
    'useEffect(() => box.current?.scrollIntoView(), []);',
    'useLayoutEffect(() => setX(1));',
    'useEffect(() => { return box.show(); }, [box]);',
    'useEffect(() => { if (far) return box.scrollIntoView(); });',
    'export const a = <i ref={(element) => element?.focus()} />;',
    // Allowed:
    'useEffect(() => { box.scrollIntoView(); }, []);',
    'useEffect(() => { if (!box) return; return () => box.drop(); }, [box]);',
    'useEffect(() => () => box.drop(), [box]);',
    'useEffect(() => { const stop = listen(() => { return box.next(); }); return stop; }, [box]);',
    'export const b = <i ref={(element) => { element?.focus(); }} />;',
    'export const c = <i ref={box} />;',
  ];
  expect(complaints('src/app/example.tsx', code)).toEqual([1, 2, 3, 4, 5]);
});

test('loading code on demand without handling a failure is found', () => {
  const code = [
    "export const a = () => import('./part');",
    "export const B = lazy(async () => ({ default: (await loadPart('B', () => import('./b'))).B }));",
    // Allowed:
    "export const c = () => loadPart('The part', () => import('./part'));",
    "export const D = loadedPanel('The panel', async () => (await import('./d')).D);",
    'export const e = v.lazy(() => schema);',
  ];
  expect(complaints('src/app/example.tsx', code)).toEqual([1, 2]);
  expect(complaints('src/session/example.ts', code)).toEqual([1, 2]);
});

test('a comparison with the name of any mode is found outside of src/parallel', () => {
  const code = [
    "export const a = config.mode === 'ddp';",
    "export const b = info?.mode !== 'single';",
    "switch (config.mode) { case 'dataParallel': stop(); }",
    ...MODES.map((mode) => `export const of = config.mode === '${mode}';`),
    // Allowed:
    "export const c = config.device === 'cpu';",
    "switch (config.device) { case 'cpu': stop(); }",
    'export const d = FACES[config.mode].title;',
  ];
  const wrong = Array.from({ length: 3 + MODES.length }, (_, i) => i + 1);
  expect(complaints('src/app/example.ts', code)).toEqual(wrong);
  expect(complaints('src/parallel/example.ts', code)).toEqual([]);
});
