/** How the model answers rows of a sequence task: decoded token by token from the prompt, its own answers fed back, as a user would run it. Made by snapshots. */
import { at } from '../../base/invariant';
import type { Dataset } from '../../data/dataset';
import type { AnsweredSequence } from '../../protocol/session';
import type { ModelState } from '../evaluator';
import { argmax } from './argmax';
import type { Decoder } from './decoder';
import type { Tokens } from './tokens';

/** `ignoreIndex`: the target of positions that ask nothing. */
export function answer(
  row: number,
  {
    dataset,
    tokens,
    decoder,
    ignoreIndex,
  }: { dataset: Dataset; tokens: Tokens; decoder: Decoder; ignoreIndex: number },
  state: ModelState,
): AnsweredSequence {
  const { context } = decoder;
  const inputs = dataset.inputs.subarray(row * context, (row + 1) * context);
  const targets = dataset.targets.subarray(row * context, (row + 1) * context);
  const asked = Array.from(targets.keys()).filter((position) => targets[position] !== ignoreIndex);
  const line = Array.from(inputs);
  const predicted: number[] = [];
  for (const position of asked) {
    const logits = decoder.after(state, line.slice(0, position + 1));
    const token = argmax(logits, 0, logits.length);
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
