/**
 * The views of a model of tokens: what it writes from a fixed prompt (text) and how it answers rows (sequence tasks), and what the session's generate() does. One a
 * run; undefined where the model has no token in and logits out at each position.
 */
import { LockstepError } from '../../base/errors';
import type { AnsweredSequence } from '../../protocol/session';
import { Generator } from '../../tensor/generator';
import { ignoreIndexOf } from '../accuracy';
import type { Blueprint } from '../blueprint';
import type { ModelState } from '../evaluator';
import { answer } from './answers';
import { continuation } from './sample-text';
import { asksTokens, tokensOf } from './tokens';
import { createWindowDecoder } from './window-decoder';

const PROMPT = 8;
const SAMPLE = 80;
const TEMPERATURE = 0.8;
const SEED = 0;
const ANSWERS = 8;
const MOST_TOKENS = 10_000;

export interface Language {
  /** Prompt and continuation; undefined for sequence tasks, and where the logits are not finite. */
  sample(state: ModelState): string | undefined;
  answers(state: ModelState): readonly AnsweredSequence[];
  /** Only what follows the prompt. */
  generate(state: ModelState, prompt: string, length: number, temperature: number, seed: number): string;
}

export function createLanguage({ dataset, input, config }: Blueprint): Language | undefined {
  if (!asksTokens(dataset)) return undefined;
  const ignoreIndex = ignoreIndexOf(config.loss);
  const tokens = tokensOf(dataset);
  const decoder = createWindowDecoder(input);
  const { context } = decoder;
  const row = dataset.train[0] ?? 0;
  const start = dataset.inputs.subarray(row * context, row * context + Math.min(PROMPT, context));
  // Text asks at every position.
  const isText = !dataset.targets.subarray(row * context, (row + 1) * context).includes(ignoreIndex);
  const shown = (dataset.test.length > 0 ? dataset.test : dataset.train).subarray(0, ANSWERS);

  const write = (state: ModelState, prompt: ArrayLike<number>, length: number, temperature: number, seed: number) => {
    const written: number[] = [];
    const generator = new Generator(seed);
    for (const token of continuation({ decoder, state, prompt, temperature, generator })) {
      written.push(token);
      if (written.length >= length) break;
    }
    return written;
  };

  return {
    sample(state) {
      if (!isText) return undefined;
      const written = write(state, start, SAMPLE, TEMPERATURE, SEED);
      return written.length < SAMPLE ? undefined : tokens.decode([...start, ...written]);
    },
    answers: (state) =>
      isText ? [] : Array.from(shown, (r) => answer(r, { dataset, tokens, decoder, ignoreIndex }, state)),
    generate(state, prompt, length, temperature, seed) {
      check(
        'length',
        length,
        Number.isInteger(length) && length >= 0 && length <= MOST_TOKENS,
        `a whole number from 0 to ${MOST_TOKENS}`,
      );
      check('temperature', temperature, Number.isFinite(temperature) && temperature >= 0, 'a number from 0 on');
      check('seed', seed, Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32, 'a whole number from 0 to 4294967295');
      const ids = tokens.encode(prompt);
      if (ids.length === 0)
        throw new LockstepError('data', 'The prompt is empty.', 'Begin with at least one token of the data.');
      const written = length === 0 ? [] : write(state, ids, length, temperature, seed);
      if (written.length < length) {
        throw new LockstepError(
          'not-finite',
          'probability tensor contains either `inf`, `nan` or element < 0',
          'The weights are no longer finite: Reset, and lower the learning rate.',
        );
      }
      return tokens.decode(written);
    },
  };
}

function check(name: string, value: number, holds: boolean, expected: string): void {
  if (!holds)
    throw new LockstepError('config', `${name} is ${value}, expected ${expected}.`, `Change ${name}.`, {
      [name]: value,
    });
}
