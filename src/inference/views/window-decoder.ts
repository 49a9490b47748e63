/**
 * Decoding by the whole context: the tokens are at its start, the rest is filled with token 0, and the logits at the
 * last token are read. In a causal model the rest has no influence. The plain version, for every model with a token as
 * input and logits as output at each position.
 */
import type { ModeInput } from '../../parallel/mode-input';
import { elements } from '../../tensor/shape';
import { createEvaluator } from '../evaluator';
import { type Decoder, vocabularyOf } from './decoder';

export function createWindowDecoder(input: ModeInput): Decoder {
  const context = elements(input.inputShape);
  const evaluator = createEvaluator(input, 1);
  const window = new Int32Array(context);
  return {
    context,
    vocabulary: vocabularyOf(evaluator.graph, evaluator.output),
    tokenNs: evaluator.costNs,
    after(state, tokens) {
      window.fill(0);
      window.set(tokens);
      const { outputs } = evaluator.run(state, window);
      const width = outputs.length / context;
      return outputs.subarray((tokens.length - 1) * width, tokens.length * width);
    },
  };
}
