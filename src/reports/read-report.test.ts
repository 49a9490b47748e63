import { describe, expect, it } from 'vitest';
import { parseReport, readReport } from './read-report';

const said = (text: string): string => {
  try {
    parseReport(text, 'a.json');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
};

describe('a report from anywhere', () => {
  it('is an object with losses, and nothing else is needed', () => {
    const { losses, weights, config } = parseReport('{"losses": [0.7, 0.6], "mine": {"own": 1}}', 'a.json');
    expect(losses.map(({ step, microBatch, loss }) => [step, microBatch, loss])).toEqual([
      [0, 0, 0.7],
      [1, 1, 0.6],
    ]);
    expect([weights, config]).toEqual([undefined, undefined]);
  });

  it('may hold what Python writes for numbers that are not finite', () => {
    const text = '\ufeff{"losses": [NaN, Infinity, -Infinity, null], "note": "NaN, said \\"Infinity\\""}';
    expect(parseReport(text, 'a').losses.map(({ loss }) => loss)).toEqual([NaN, Infinity, -Infinity, NaN]);
  });

  it('may have records of losses, as Lockstep writes them', () => {
    const record = { step: 1, microBatch: 2, epoch: 0, perRank: [0.5, null], loss: 0.5 };
    expect(readReport({ losses: [record] }, 'a').losses).toEqual([{ ...record, perRank: [0.5, NaN] }]);
  });

  it('may have weights as base64 or as numbers', () => {
    const float32 = btoa(String.fromCharCode(...new Uint8Array(Float32Array.of(1, -2.5).buffer)));
    const weights = {
      a: { shape: [2], float32 },
      b: { shape: [1, 2], values: [1, null] },
      c: { shape: [], values: [3] },
    };
    const read = readReport({ losses: [], weights }, 'a').weights;
    expect([...(read ?? [])].map(([name, { values }]) => [name, ...values])).toEqual([
      ['a', 1, -2.5],
      ['b', 1, NaN],
      ['c', 3],
    ]);
  });
});

it('names tensors like the model inside DDP', () => {
  const weights = { 'module.0.bias': { shape: [1], values: [1] }, 'module.2.bias': { shape: [1], values: [1] } };
  expect([...(readReport({ losses: [], weights }, 'a').weights?.keys() ?? [])]).toEqual(['0.bias', '2.bias']);
});

describe('what is no report', () => {
  it.each([
    ['', 'a.json cannot be compared: it is empty.'],
    ['[0.7]', 'a.json cannot be compared: it holds a list, not an object with `losses`.'],
    ['7', 'a.json cannot be compared: it must be an object with `losses`.'],
    ['{}', 'a.json cannot be compared: it has no losses.'],

    ['{"losses": 3}', 'has losses, which must be a list with the loss of every step, not 3'],
    ['{"losses": [1, "a"]}', 'has losses.1, which must be a number, null if it is not finite, or an object'],
    ['{"losses": [1], "weights": {"w": {"shape": [3], "values": [1]}}}', 'weights.w with 1 values, but the shape [3]'],
    [
      '{"losses": [1], "weights": {"w": {"shape": [1], "float32": "!"}}}',
      'weights.w with a float32 that is not base64',
    ],
    ['{"losses": [1], "weights": {"w": {"shape": [1], "float32": "AAAA"}}}', 'weights.w with 3 bytes'],
    ['{"losses": [1], "weights": []}', 'has weights, which must be an object with tensors by name, not '],
    ['{"losses": [1], "weights": {"w": 7}}', 'has weights.w, which must be {"shape"'],
    ['{"losses": [1], "history": [{"step": -1}]}', 'has history.0.step, which must be at least 0, not -1'],
    ['{"losses": [1', 'is not JSON'],
    ['{"losses": [NaN,\n nan]}', 'is not JSON'],
  ])('%j', (text, words) => {
    expect(said(text)).toContain(words);
  });

  it('is named with its line and column', () => {
    // For a short text, parsers show all of it.
    const long = `{"losses":\n [1, 2], "note": "${'long'.repeat(50)}",\n`;
    expect(said(`${long} "x": 1 2, "y": 3}`)).toContain('line 3 column 9');
    expect(said(`${long} "x": NaN 2, "y": 3}`)).toContain('line 3');
  });
});
