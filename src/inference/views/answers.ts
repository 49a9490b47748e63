/**
 * The model's answers to rows of a sequence task: decoded token by token from the prompt, each answered token fed back,
 * as a user would run it. Made by snapshots.
 */
import { at } from '../../base/invariant';
import type { AnsweredSequence } from '../../protocol/snapshot';
import type { ModelState } from '../evaluator';
import { argmax } from './argmax';
import type { Decoder } from './decoder';
import type { Language } from './language';
import { type Slices, WHOLE_NS } from './slices';

const MOST = 8;

/** Undefined for text. */
export function createAnswersView(
  language: Language,
): ((state: ModelState) => Slices<readonly AnsweredSequence[]>) | undefined {
  const { dataset, context, isText } = language;
  if (isText) return undefined;
  const decoder = language.createDecoder();
  const shown = dataset.test.length > 0 ? dataset.test : dataset.train;
  const rowNs = context * decoder.tokenNs;
  const rows = shown.slice(0, Math.max(1, Math.min(MOST, Math.floor(WHOLE_NS / rowNs))));
  return function* slices(state) {
    const answers: AnsweredSequence[] = [];
    for (const row of rows) {
      answers.push(answer(language, decoder, state, row));
      yield rowNs;
    }
    return answers;
  };
}

/** Greedy decoding: the likeliest token at each position with a target. The answer ends if logits are NaN. */
export function answer(language: Language, decoder: Decoder, state: ModelState, row: number): AnsweredSequence {
  const { dataset, tokens, context, ignoreIndex } = language;
  const inputs = dataset.inputs.subarray(row * context, (row + 1) * context);
  const targets = dataset.targets.subarray(row * context, (row + 1) * context);
  const asked = Array.from(targets.keys()).filter((position) => targets[position] !== ignoreIndex);
  const line = Array.from(inputs);
  const predicted: number[] = [];
  for (const position of asked) {
    const token = argmax(decoder.after(state, line.slice(0, position + 1)), 0, decoder.vocabulary);
    if (token < 0) break;
    predicted.push(token);
    if (position + 1 < context) line[position + 1] = token;
  }
  const expected = asked.map((position) => at(targets, position));
  return {
    prompt: tokens.decode(inputs.slice(0, (asked[0] ?? context - 1) + 1)),
    expected: tokens.decode(expected),
    predicted: tokens.decode(predicted),
    right: expected.every((token, i) => token === predicted[i]),
  };
}
