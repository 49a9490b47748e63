/**
 * Excessive links: deeply nested, long, full of unknown keys, or with one key many times. The rest of the link still
 * applies.
 */
import { describe, expect, test } from 'vitest';
import { parsePermalink } from './permalink';
import { printPermalink } from './print-permalink';

const read = (hash: string) => parsePermalink(hash);

describe('brackets in brackets', () => {
  test.each([
    ['sched', '!('.repeat(20_000)],
    ['sched', `${'!('.repeat(20_000)}${')'.repeat(20_000)}`],
    ['groups', `${'!('.repeat(5000)}${')'.repeat(5000)}`],
    ['groups', `${'(a:'.repeat(5000)}1${')'.repeat(5000)}`],
    ['model', 'res('.repeat(20_000)],
    ['model', `${'res('.repeat(20_000)}linear1${')'.repeat(20_000)}`],
    ['model', `${'unused('.repeat(2000)}linear1i1${')'.repeat(2000)}`],
    ['lab', `allReduce(${'a:('.repeat(9000)}`],
    ['hook', `powerSGD(${'a:!('.repeat(9000)}`],
  ])('%s', (key, text) => {
    const { config, kept, notices, view } = read(`#seed=7&${key}=${text}&lr=0.5`);
    expect(config.seed).toBe(7);
    expect(config.optimizer.lr).toBe(0.5);
    expect(kept).toEqual([[key, text]]);
    expect(notices).toHaveLength(1);
    // The lab is no setting of the run.
    const setting = key === 'lab' ? '' : ' \\([\\w.]+\\)';
    const cut = new RegExp(`^The link says ${key}=.{0,60}\\.\\.\\. \\([\\d,]+ characters\\)${setting}, but `);
    expect(notices[0]?.text).toMatch(cut);
    expect(notices[0]?.text).toContain('brackets may be nested 16 deep');
    expect(printPermalink(config, view, kept)).toContain(`${key}=`);
  });

  test('as deep as is allowed', () => {
    const model = `${'res('.repeat(16)}linear2i2${')'.repeat(16)}-linear1`;
    expect(read(`#model=${model}`).notices).toEqual([]);
    expect(read(`#model=res(${model})`).notices).toHaveLength(1);
  });
});

test('a hundred thousand unknown keys give a few notices and the number of the others', () => {
  const hash = Array.from({ length: 100_000 }, (_, i) => `key${i}=${i}`).join('&');
  const { notices, kept, config } = read(`#${hash}&batch=16`);
  expect(notices).toHaveLength(9);
  expect(notices.at(-1)?.text).toBe('The link has 99,992 more settings that cannot be used.');
  expect(kept).toHaveLength(100_000);
  expect(config.batchSize).toBe(16);
});

test('a long key, a long value, a long list of layers: quoted by their beginning', () => {
  for (const hash of [
    `${'k'.repeat(900_000)}=1`,
    `mode=${'m'.repeat(900_000)}`,
    `hide=${'m'.repeat(900_000)}`,
    `layers=${'2-'.repeat(450_000)}1`,
    `model=${'linear1-'.repeat(100_000)}linear1`,
    `model=${'Linear(1,1),'.repeat(50_000)}ReLU`,
  ]) {
    const { notices } = read(`#${hash}`);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.text.length).toBeLessThan(500);
  }
});

test('if a key is given several times, the last value counts, and a notice says so', () => {
  const { config, notices, kept } = read('#mode=ddp&mode=single&world=2&worldSize=3&nnodes=1&seed=1&seed=2&seed=3');
  expect([config.mode, config.worldSize, config.seed, kept]).toEqual(['single', 3, 3, []]);
  expect(notices.map(({ text }) => text)).toEqual([
    'The link gives mode twice: the last one counts, mode=single.',
    'The link gives world (worldSize) twice: the last one counts, world=3.',
    'The link gives seed 3 times: the last one counts, seed=3.',
  ]);
});
