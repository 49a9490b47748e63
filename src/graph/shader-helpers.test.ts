/**
 * Functions that are in several kernels have one source in shaders/helpers/, and every copy is that source byte for
 * byte: WGSL includes nothing, and a kernel is to be read, and run, as it is on disk. Functions are identified by name
 * and types, as `fn is_nan(v: f32)`. The functions of helpers/f16 and helpers/subgroups have no copies: runtime/webgpu
 * puts them into kernels.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The functions of a shader, by signature: up to the bracket that closes the body. */
function functionsOf(source: string): ReadonlyMap<string, string> {
  return new Map(
    [...source.matchAll(/^fn \w+\(/gm)].map(({ index }) => {
      let end = source.indexOf('{', index) + 1;
      const signature = source.slice(index, end - 1).trim();
      for (let depth = 1; depth > 0; end++) depth += source[end] === '{' ? 1 : source[end] === '}' ? -1 : 0;
      return [signature, source.slice(index, end)];
    }),
  );
}

const all = readdirSync('shaders', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.wgsl'))
  .sort()
  .map((file) => ({ path: file, functions: functionsOf(readFileSync(`shaders/${file}`, 'utf8')) }));
const isHelper = ({ path }: { readonly path: string }) => path.startsWith('helpers');
const replacing = all.filter(({ path }) => /^helpers.(f16|subgroups)/.test(path));
const helpers = all.filter((file) => isHelper(file) && !replacing.includes(file));
const kernels = all.filter((file) => !isHelper(file));
const sources = new Map(helpers.flatMap(({ functions }) => [...functions]));

it('finds kernels and helpers', () => {
  expect(kernels.length).toBeGreaterThan(100);
  expect(sources.size).toBe(helpers.length);
});

it('each function with f16 or subgroups takes the place of a helper', () => {
  const signatures = replacing.flatMap(({ functions }) => [...functions.keys()]);
  expect(signatures.length).toBe(replacing.length);
  expect(signatures.filter((signature) => !sources.has(signature))).toEqual([]);
});

describe.each(helpers)('$path', ({ functions }) => {
  const [[signature, text] = ['', '']] = functions;
  const users = kernels.flatMap((kernel) => {
    const copy = kernel.functions.get(signature);
    return copy === undefined ? [] : [{ path: kernel.path, copy }];
  });

  it('is in several kernels', () => {
    expect(users.length).toBeGreaterThan(1);
  });

  it.each(users)('is the same text in $path', ({ copy }) => {
    expect(copy).toBe(text);
  });
});

it('a function that three kernels have in the same words has its source there', () => {
  const count = new Map<string, number>();
  for (const { functions } of kernels)
    for (const text of functions.values()) count.set(text, (count.get(text) ?? 0) + 1);
  const missing = [...count].filter(([text, times]) => times > 2 && ![...sources.values()].includes(text));
  expect(missing).toEqual([]);
});

/** NVIDIA's driver makes max() and min() of such words, and those give the other number where one is NaN. */
const COMPARED = [
  /\bif \((\w+) [<>]=? [^()]*\) \{ \1 = /,
  /\bselect\((\w+), ([\w.()]+), (?:\1 [<>]=? \2|\2 [<>]=? \1)\)/,
];

it('no kernel compares two floats for a maximum or minimum without a check for NaN', () => {
  const hasNan = (text: string) => /is_nan|_nan\b|0x7f800000/.test(text);
  const careless = kernels.flatMap(({ path }) => {
    const text = readFileSync(`shaders/${path}`, 'utf8');
    return COMPARED.some((words) => words.test(text)) && !hasNan(text) ? [path] : [];
  });
  expect(careless).toEqual([]);
  expect(
    COMPARED.map((words) => words.test('if (squares < 0.0) { squares = 0.0; } select(v, past, past > v)')),
  ).toEqual([true, true]);
});
