/** Text and sequences: sampling, answering and refusing, with tiny models of known or random weights. */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { gptLayers } from '../../protocol/presets';
import { type Blueprint, createBlueprint } from '../../training/blueprint';
import { createSnapshots } from '../snapshot';
import { createCachedDecoder } from './cached-decoder';
import { languageOf } from './language';
import { continuation } from './sample-text';
import { tokensOf } from './tokens';
import { createWindowDecoder } from './window-decoder';

const TEXT = 'to be or not to be, that is the question';
const VOCABULARY = [...new Set(TEXT)].length;
const text: ConfigInput = {
  device: 'cpu',
  model: { layers: gptLayers({ vocab: VOCABULARY, context: 6, width: 8, heads: 2, layers: 2 }) },
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'text', text: TEXT, context: 6 },
  batchSize: 2,
};
const reverse: ConfigInput = {
  ...text,
  model: { layers: gptLayers({ vocab: 5, context: 6, width: 8, heads: 2, layers: 1 }) },
  data: { type: 'sequence', task: 'reverse', length: 3, symbols: 4, samples: 20, testFraction: 0.5 },
};

const blueprintOf = (config: ConfigInput): Blueprint => createBlueprint(parseConfig(config), {});
const stateOf = ({ parameters }: Blueprint) => new Map(parameters.map(({ name, data }) => [name, data]));
const snapshotOf = (blueprint: Blueprint, state = stateOf(blueprint)) =>
  createSnapshots(blueprint).take({ microBatch: 0, devices: [state], reference: undefined });

test('cached keys and values give the bits of the whole context, in any order of questions', () => {
  const { input, ...blueprint } = blueprintOf(text);
  const cached = createCachedDecoder(input);
  const whole = createWindowDecoder(input);
  const state = new Map(blueprint.parameters.map(({ name, data }) => [name, data]));
  for (const tokens of [[3], [3, 1], [3, 1, 4, 1, 5], [3, 1, 4], [3, 1, 4], [2, 1, 4, 4, 4, 4]]) {
    expect(Array.from(cached?.after(state, tokens) ?? [])).toEqual(Array.from(whole.after(state, tokens)));
  }
  const other = new Map([...state].map(([name, data]) => [name, data.map((v) => 2 * v)]));
  expect(Array.from(cached?.after(other, [2, 1]) ?? [])).toEqual(Array.from(whole.after(other, [2, 1])));
});

test('attention that looks ahead is evaluated whole', () => {
  const layers: ConfigInput['model'] = {
    layers: [
      { type: 'TokenEmbedding', vocab: VOCABULARY, context: 6, width: 8 },
      { type: 'MultiheadAttention', width: 8, heads: 2 },
      { type: 'Linear', in: 8, out: VOCABULARY },
    ],
  };
  const blueprint = blueprintOf({ ...text, model: layers });
  expect(createCachedDecoder(blueprint.input)).toBeUndefined();
  expect(snapshotOf(blueprint).sampledText).toHaveLength(6 + 80);
});

test('sampled text: the data’s first characters, then 80 of the vocabulary, the same each time', () => {
  const blueprint = blueprintOf(text);
  const sampled = snapshotOf(blueprint).sampledText ?? '';
  expect(sampled).toBe(snapshotOf(blueprint).sampledText);
  expect(sampled).toHaveLength(6 + 80);
  expect(sampled.startsWith('to be ')).toBe(true);
  expect([...sampled].every((character) => TEXT.includes(character))).toBe(true);
  expect(snapshotOf(blueprint).answers).toEqual([]);
});

test('a model with more tokens than the data writes only tokens of the data', () => {
  const layers = gptLayers({ vocab: 3 * VOCABULARY, context: 6, width: 8, heads: 2, layers: 1 });
  const sampled = snapshotOf(blueprintOf({ ...text, model: { layers } })).sampledText ?? '';
  expect([...sampled].every((character) => TEXT.includes(character))).toBe(true);
});

test('a model that has learnt the alphabet writes it at temperature 0', () => {
  const blueprint = blueprintOf({
    ...text,
    data: { type: 'text', text: 'abcdabcda', context: 4 },
    model: {
      layers: [
        { type: 'Embedding', vocab: 4, width: 4 },
        { type: 'Linear', in: 4, out: 4 },
      ],
    },
  });
  const identity = Float32Array.from({ length: 16 }, (_, i) => (i % 5 === 0 ? 1 : 0));
  // Row t of the table makes the token after t the likeliest.
  const next = Float32Array.from({ length: 16 }, (_, i) => ((Math.floor(i / 4) + 1) % 4 === i % 4 ? 3 : 0));
  const state = new Map([
    ['0.weight', next],
    ['1.weight', identity],
    ['1.bias', new Float32Array(4)],
  ]);
  const language = languageOf(blueprint);
  const decoder = language?.createDecoder();
  if (!language || !decoder) throw new Error('no language');
  const drawn = continuation({ decoder, state, prompt: language.tokens.encode('ab'), temperature: 0, seed: 0 });
  const written = Array.from({ length: 10 }, () => drawn.next().value ?? -1);
  expect(language.tokens.decode(written)).toBe('cdabcdabcd');
});

test('weights that are not numbers: no text and no answer', () => {
  for (const config of [text, reverse]) {
    const blueprint = blueprintOf(config);
    const state = new Map(blueprint.parameters.map(({ name, data }) => [name, data.map(() => Number.NaN)]));
    const { sampledText, answers } = snapshotOf(blueprint, state);
    expect(sampledText).toBeUndefined();
    expect(answers.every(({ right, predicted }) => !right && predicted === '')).toBe(true);
  }
});

test('answers: eight test rows, prompt and expectation as in the data, own tokens fed back', () => {
  const blueprint = blueprintOf(reverse);
  const { answers, sampledText } = snapshotOf(blueprint);
  expect(sampledText).toBeUndefined();
  expect(answers).toHaveLength(8);
  const { dataset } = blueprint;
  const decoder = createWindowDecoder(blueprint.input);
  const state = stateOf(blueprint);
  answers.forEach(({ prompt, expected, predicted, right }, i) => {
    expect(prompt).toMatch(/^[0-3]{3}>$/);
    expect(expected).toBe([...prompt.slice(0, 3)].reverse().join(''));
    expect(right).toBe(predicted === expected);
    const row = at(dataset.test, i);
    const line = Array.from(dataset.inputs.subarray(6 * row, 6 * row + 4));
    for (let k = 0; k < 3; k++) {
      const logits = Array.from(decoder.after(state, line));
      line.push(logits.indexOf(Math.max(...logits)));
    }
    expect(predicted).toBe(
      line
        .slice(4)
        .map((id) => dataset.vocabulary?.[id])
        .join(''),
    );
  });
});

test('accuracy of a sequence task counts the positions that are asked for', () => {
  const blueprint = blueprintOf(reverse);
  const { testAccuracy } = snapshotOf(blueprint);
  const { dataset } = blueprint;
  const decoder = createWindowDecoder(blueprint.input);
  let right = 0;
  for (const row of dataset.test) {
    for (let position = 3; position < 6; position++) {
      const logits = Array.from(
        decoder.after(stateOf(blueprint), dataset.inputs.subarray(6 * row, 6 * row + position + 1)),
      );
      if (logits.indexOf(Math.max(...logits)) === dataset.targets[6 * row + position]) right++;
    }
  }
  expect(testAccuracy).toBeCloseTo(right / (3 * dataset.test.length), 10);
});

test('tokens of several characters are written and read with spaces; what is unknown is named', () => {
  const { dataset } = blueprintOf({
    ...reverse,
    model: { layers: gptLayers({ vocab: 13, context: 6, width: 8, heads: 2, layers: 1 }) },
    data: { type: 'sequence', task: 'sort', length: 3, symbols: 12, samples: 20 },
  });
  const tokens = tokensOf(dataset);
  expect(tokens.decode([11, 3, 12, -100])).toBe('11 3 > ·');
  expect(Array.from(tokens.encode('11 3 >'))).toEqual([11, 3, 12]);
  expect(() => tokens.encode('11 14 3 x')).toThrow(/does not contain: "14", "x"/);
});
