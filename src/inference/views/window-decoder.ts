/**
 * Decoding by the whole context: the tokens are at its start, what follows is filled with token 0, and the logits at
 * the last token are read. In a causal model what follows does not matter. The plain version, for every model that has
 * a token in and logits out at each position.
 */
import type { ModeInput } from '../../parallel/mode';
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
