/**
 * Requests to a model while it learns: the same numbers as the snapshot's, attention that adds up to 1, and refusals
 * that say what is wrong.
 */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import type { ConfigInput } from '../protocol/config';
import { gptLayers } from '../protocol/presets';
import { openTestSession } from '../session/testing/open-session';
import { createBlueprint } from '../training/blueprint';
import { createEvaluator } from './evaluator';
import { createInference } from './inference';

const images: ConfigInput = {
  device: 'cpu',
  model: { layers: [{ type: 'Flatten' }, { type: 'Linear', in: 64, out: 10 }] },
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'digits', size: 8, samples: 30, testFraction: 0.5 },
  batchSize: 5,
};
const text: ConfigInput = {
  device: 'cpu',
  model: { layers: gptLayers({ vocab: 4, context: 6, width: 8, heads: 2, layers: 2 }) },
  loss: { type: 'CrossEntropyLoss' },
  data: { type: 'text', text: 'abcdabcaabcbabcdddabccc', context: 6 },
  batchSize: 2,
};

test('predict: probabilities of the classes, those behind the snapshot', async () => {
  const s = await openTestSession(images);
  await s.api.traceStep();
  const { misclassified } = await s.api.snapshot();
  const { dataset } = createBlueprint(parseConfig(images), {});
  expect(misclassified.length).toBeGreaterThan(0);
  for (const { row, predicted, probability } of misclassified) {
    const pixels = Float32Array.from(dataset.inputs.subarray(64 * row, 64 * row + 64));
    const answer = await s.api.predict(pixels);
    expect(answer.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 5);
    expect(answer.indexOf(Math.max(...answer))).toBe(predicted);
    expect(at(answer, predicted)).toBeCloseTo(probability, 6);
  }
  await s.close();
});

test('predict: a sigmoid under BCEWithLogitsLoss as in the field, the output itself in regression', async () => {
  const xor: ConfigInput = { device: 'cpu', data: { type: 'xor', samples: 20 } };
  const classes = await openTestSession(xor, { shown: { field: true } });
  const { field } = await classes.api.snapshot();
  // The cell in the top left corner.
  const corner = await classes.api.predict(Float32Array.of(1 / 48 - 1, 1 - 1 / 48));
  expect(corner).toHaveLength(1);
  expect(at(corner, 0)).toBeCloseTo(field?.[0] ?? Number.NaN, 6);
  await classes.close();
  const numbers = await openTestSession({
    device: 'cpu',
    data: { type: 'plane', samples: 20 },
    loss: { type: 'L1Loss' },
  });
  const snapshot = await numbers.api.snapshot();
  const { dataset } = createBlueprint(
    parseConfig({ device: 'cpu', data: { type: 'plane', samples: 20 }, loss: { type: 'L1Loss' } }),
    {},
  );
  const row = at(dataset.train, 0);
  const output = await numbers.api.predict(Float32Array.from(dataset.inputs.subarray(2 * row, 2 * row + 2)));
  expect(snapshot.predictions[0]).toEqual([dataset.targets[row], output[0]]);
  await numbers.close();
});

test('predict follows the weights: after a step another answer', async () => {
  const s = await openTestSession(images);
  const blank = new Float32Array(64);
  const before = await s.api.predict(blank);
  expect(await s.api.predict(blank)).toEqual(before);
  await s.api.traceStep();
  expect(await s.api.predict(blank)).not.toEqual(before);
  await s.api.reset();
  expect(await s.api.predict(blank)).toEqual(before);
  await s.close();
});

test('attention: a map for each layer; rows add up to 1 and see nothing ahead', async () => {
  const s = await openTestSession(text);
  const { tokens, maps } = await s.api.attention(1);
  expect(tokens.join('')).toBe('caabcb');
  expect(maps.map(({ module, heads }) => [module, heads])).toEqual([
    ['blocks.0', 2],
    ['blocks.1', 2],
  ]);
  for (const { weights } of maps) {
    expect(weights).toHaveLength(2 * 6 * 6);
    for (let row = 0; row < 12; row++) {
      const own = Array.from(weights.subarray(6 * row, 6 * row + 6));
      expect(own.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 6);
      own.forEach((weight, key) => {
        if (key > row % 6) expect(weight).toBe(0);
        else expect(weight).toBeGreaterThan(0);
      });
    }
  }
  await s.close();
});

test.each([true, false])(
  'the weights of attention, causal %s, give its output when they weigh the values',
  (causal) => {
    const config = parseConfig({
      ...text,
      model: {
        layers: [
          { type: 'TokenEmbedding', vocab: 4, context: 6, width: 8 },
          { type: 'MultiheadAttention', width: 8, heads: 2, causal },
          { type: 'Linear', in: 8, out: 4 },
        ],
      },
    });
    const blueprint = createBlueprint(config, {});
    const state = new Map(blueprint.parameters.map(({ name, data }) => [name, data]));
    const { weights } = at(createInference(blueprint).attention(state, 2).maps, 0);
    const evaluator = createEvaluator(blueprint.input, 1);
    evaluator.run(state, blueprint.dataset.inputs.subarray(12, 18));
    const [qkv, out] = [evaluator.value('1.qkv'), evaluator.value('1.attention')];
    for (let query = 0; query < 6; query++) {
      for (let column = 0; column < 8; column++) {
        const head = Math.floor(column / 4);
        let sum = 0;
        for (let key = 0; key < 6; key++)
          sum += at(weights, (head * 6 + query) * 6 + key) * at(qkv, key * 24 + 16 + column);
        expect(at(out, query * 8 + column)).toBeCloseTo(sum, 5);
      }
    }
  },
);

test('generate: as many tokens as asked for, the same for a seed, others for another', async () => {
  const s = await openTestSession(text);
  const first = await s.api.generate('abc', 40, 1, 7);
  expect(first).toMatch(/^[abcd]{40}$/);
  expect(await s.api.generate('abc', 40, 1, 7)).toBe(first);
  expect(await s.api.generate('abc', 40, 1, 8)).not.toBe(first);
  // Choosing the likeliest token does not depend on the seed.
  expect(await s.api.generate('abc', 12, 0, 1)).toBe(await s.api.generate('abc', 12, 0, 2));
  expect(await s.api.generate('a long prompt of b'.replace(/[^ab]/g, 'c'), 0, 1, 0)).toBe('');
  await s.close();
});

test('questions that cannot be answered are refused in a sentence, and the run continues', async () => {
  const s = await openTestSession(text);
  const cases = [
    [s.api.predict(new Float32Array(5)), 'shape', /Expected an input of 6 values \[6\], got 5/],
    [
      s.api.predict(Float32Array.of(0, 1, 2, 3, 4, 0)),
      'data',
      /Position 4 of the input is 4, expected a token id from 0 to 3/,
    ],
    [s.api.generate('abxyz', 5, 1, 0), 'data', /does not contain: "x", "y", "z"/],
    [s.api.generate('', 5, 1, 0), 'data', /empty/],
    [s.api.generate('a', -1, 1, 0), 'config', /length is -1/],
    [s.api.generate('a', 5, Number.NaN, 0), 'config', /temperature is NaN/],
    [s.api.generate('a', 5, 1, 0.5), 'config', /seed is 0.5/],
    [s.api.attention(99), 'data', /no row 99/],
  ] as const;
  for (const [asked, code, message] of cases) {
    await expect(asked).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(/\w/),
    });
  }
  expect((await s.api.traceStep()).step).toBe(0);
  await s.close();
  const plain = await openTestSession(images);
  await expect(plain.api.attention(0)).rejects.toMatchObject({ message: expect.stringMatching(/no attention layer/) });
  await expect(plain.api.generate('7', 5, 1, 0)).rejects.toMatchObject({
    message: expect.stringMatching(/cannot write text/),
  });
  await plain.close();
});
