/** Lets a model of text go on from a prompt, one token after the other, as torch.multinomial draws them. Called by snapshots and by the session's generate(). */
import { multinomialOne } from '../../tensor/distributions';
import type { Generator } from '../../tensor/generator';
import type { ModelState } from '../evaluator';
import { argmax, softmax } from './argmax';
import type { Decoder } from './decoder';

export interface Sampling {
  readonly decoder: Decoder;
  readonly state: ModelState;
  readonly prompt: ArrayLike<number>;
  /** 0: always the likeliest token. */
  readonly temperature: number;
  readonly generator: Generator;
}

/**
 * The tokens that follow the prompt, without end, until logits are not finite. Where the context is full the last half of it stays: what is kept is then good for half
 * a context of further tokens.
 */
export function* continuation({ decoder, state, prompt, temperature, generator }: Sampling): IterableIterator<number> {
  let tokens = Array.from(prompt).slice(-decoder.context);
  for (;;) {
    const logits = decoder.after(state, tokens);
    const best = argmax(logits, 0, logits.length);
    if (best < 0) return;
    const next = temperature === 0 ? best : multinomialOne(generator, softmax(logits, 0, logits.length, temperature));
    yield next;
    if (tokens.length >= decoder.context) tokens = tokens.slice(tokens.length - Math.floor(decoder.context / 2));
    tokens.push(next);
  }
}
