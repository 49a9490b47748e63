import { describe, expect, it } from 'vitest';
import { MODES as CONFIG_MODES } from '../src/protocol/config';
import { restOf } from './rest-files.mjs';
import { place, placeInBrowser } from './tier';
import { belongs, KINDS, MODES, missingInQuick, notOnce, slowLines, TAGS, withoutReason } from './tiers.mjs';

type Tests = Parameters<typeof missingInQuick>[0];

const test = (file: string, kind: string, tags: readonly string[], ran = true): Tests[number] => ({
  id: `${file}: ${tags.join(' ')}`,
  file,
  kind,
  tags,
  reason: tags.includes('rest') ? 'the quick tier has one like it' : '',
  ran,
  ms: 1000,
});
const OF_KIND: Readonly<Record<string, string>> = {
  pure: 'src/graph/ops.test.ts',
  null: 'src/graph/kernels.null.test.ts',
  torch: 'src/cli/torch/ranks.torch.test.ts',
  gpu: 'src/training/parity.gpu.test.ts',
  browser: 'e2e/modes.spec.ts',
};
const whole: Tests = KINDS.map((kind) => test(OF_KIND[kind] ?? '', kind, kind === 'null' ? [] : MODES));

describe('the quick tier', () => {
  it('lists every mode', () => {
    expect(MODES).toEqual(CONFIG_MODES);
    expect(TAGS.map(({ name }) => name)).toEqual(['rest', ...CONFIG_MODES]);
  });

  it('contains every kind of test, every mode in each kind, and every room', () => {
    expect(missingInQuick(whole, KINDS)).toEqual([]);
    expect(missingInQuick(whole.slice(1), KINDS)).toEqual([
      'the quick tier has no pure test',
      ...MODES.map((mode) => `the quick tier has no pure test that trains in mode ${mode}`),
    ]);
    const left = test('src/optim/adam.test.ts', 'pure', ['rest'], false);
    expect(missingInQuick([...whole, left], KINDS)).toEqual(['the quick tier has no test of src/optim']);
    expect(missingInQuick(whole, KINDS, ['src/optim/adam.property.test.ts', 'src/graph/ops.property.test.ts'])).toEqual(
      ['the quick tier has no test of src/optim'],
    );
    const other = whole.map((one) => (one.kind === 'gpu' ? { ...one, tags: ['ddp'] } : one));
    expect(missingInQuick(other, KINDS)).toHaveLength(MODES.length - 1);
    expect(missingInQuick(other, KINDS)).toContain('the quick tier has no gpu test that trains in mode pipeline');
  });

  it('requires no PyTorch tests without PyTorch', () => {
    const without = whole.filter(({ kind }) => kind !== 'torch');
    const rooms = KINDS.filter((kind) => kind !== 'torch');
    expect(missingInQuick(without, rooms)).toEqual([]);
  });

  it('lists the slowest tests if the tier is slow', () => {
    expect(slowLines(479, whole)).toEqual([]);
    expect(slowLines(481, whole).join('\n')).toContain('e2e/modes.spec.ts');
  });
});

describe('quick and rest', () => {
  it('together contain all tests, each once', () => {
    const quick = [test('a.test.ts', 'pure', []), test('a.test.ts', 'pure', ['rest'], false)];
    const rest = quick.map((one) => ({ ...one, ran: !one.ran }));
    expect(notOnce(quick, rest)).toEqual([]);
    expect(notOnce(quick, [])).toEqual(['a.test.ts: rest ran in neither tier']);
    expect(notOnce(quick, [...rest, test('a.test.ts', 'pure', [])])).toEqual(['a.test.ts:  ran in both tiers']);
    for (const tags of [[], ['rest'], ['ddp', 'rest']])
      expect(Number(belongs('quick', tags)) + Number(belongs('rest', tags))).toBe(1);
  });

  it('a test is placed in the rest with its reason, in Vitest and in Playwright', () => {
    expect(place({ modes: ['ddp'], rest: 'why' })).toEqual({ tags: ['ddp', 'rest'], meta: { rest: 'why' } });
    expect(place({})).toEqual({ tags: [] });
    expect(placeInBrowser({ rest: 'why' })).toEqual({
      tag: ['@rest'],
      annotation: [{ type: 'rest', description: 'why' }],
    });
    const silent = { ...test('a.test.ts', 'pure', ['rest'], false), reason: ' ' };
    expect(withoutReason([...whole, silent])).toHaveLength(1);
    expect(withoutReason([silent], new Map([['a.test.ts', 'why']]))).toEqual([]);
    expect(withoutReason([silent], new Map([['a.test.ts', '']]))).toEqual([
      'a.test.ts is left for test:all without a reason after @module-tag rest',
    ]);
  });

  it('a whole file is placed in the rest by its first comment, with the reason', () => {
    // Vitest would also find the word in a string of this file.
    const tag = ['@module', 'tag rest'].join('-');
    expect(restOf(`/**\n * What it tests.\n *\n * ${tag}: the same in\n * fewer cases\n */\nimport x;\n`)).toBe(
      'the same in fewer cases',
    );
    expect(restOf(`/** ${tag} */\n`)).toBe('');
    expect(restOf(`/** Many cases. ${tag} */\n`)).toBeUndefined();
    expect(restOf(`/** What it tests. */\n/** ${tag}: of a part */\n`)).toBeUndefined();
  });
});
