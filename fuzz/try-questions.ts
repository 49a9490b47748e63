/**
 * Questions to the model of an open run: text from a prompt, a prediction for a row of tokens, the attention on a row.
 * On the page the user types the input. A refusal names the input and its value.
 */
import fc from 'fast-check';
import { fromWire, isWireError } from '../src/base/errors';
import { OWN_TEXT_VOCABULARY } from '../src/protocol/config/rule-made';
import { gptLayers, PRESETS } from '../src/protocol/presets';
import { openTestSession, type TestSession } from '../src/session/testing/open-session';
import { ODD_NAMES, oddNumber } from './arbitraries/odd';
import { checkNamesValue } from './names-input';
import { keepsPromise } from './promise';

export interface Question {
  readonly prompt: string;
  readonly length: number;
  readonly temperature: number;
  readonly seed: number;
  readonly row: number;
  readonly input: readonly number[];
}

const number = (usual: fc.Arbitrary<number>): fc.Arbitrary<number> =>
  fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: oddNumber });

export const anyQuestion: fc.Arbitrary<Question> = fc.record({
  prompt: fc.oneof(fc.constantFrom('the', 'a b', ...ODD_NAMES), fc.string({ maxLength: 12 })),
  length: number(fc.integer({ min: 0, max: 3 })),
  temperature: number(fc.double({ min: 0, max: 2, noNaN: true })),
  seed: number(fc.nat(9)),
  row: number(fc.nat(20)),
  input: fc.array(number(fc.nat(12)), { minLength: 7, maxLength: 9 }),
});

let opened: Promise<TestSession> | undefined;
/** A transformer that is so small that it answers in a moment; opened once. */
const session = (): Promise<TestSession> => {
  opened ??= openTestSession({
    ...PRESETS.gpt.config,
    model: { layers: gptLayers({ vocab: OWN_TEXT_VOCABULARY, context: 8, width: 8, heads: 2, layers: 1 }) },
    data: { type: 'text', context: 8 },
    device: 'cpu',
    mode: 'single',
  });
  return opened;
};

/** The error has passed through a port as data. */
const asked = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw isWireError(error) ? fromWire(error) : error;
  });

export async function tryQuestion({ prompt, length, temperature, seed, row, input }: Question): Promise<void> {
  const { api } = await session();
  const text = await keepsPromise(() => asked(api.generate(prompt, length, temperature, seed)));
  if (text.refused) checkNamesValue(text.refused, { prompt, length, temperature, seed });
  const attention = await keepsPromise(() => asked(api.attention(row)));
  if (attention.refused) checkNamesValue(attention.refused, { row });
  const values = Float32Array.from(input);
  const predicted = await keepsPromise(() => asked(api.predict(values)));
  if (predicted.refused)
    checkNamesValue(predicted.refused, {
      input: values.length,
      ...Object.fromEntries(Array.from(values, (v, i) => [`Position ${i}`, v])),
    });
}
