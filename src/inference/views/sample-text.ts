/**
 * Lets a model of tokens continue a prompt token by token, with draws as in torch.multinomial. Used by snapshots, and
 * by generate.ts on request.
 */
import { multinomialOne } from '../../tensor/distributions';
import { Generator } from '../../tensor/generator';
import type { ModelState } from '../evaluator';
import { argmax, softmax } from './argmax';
import type { Decoder } from './decoder';
import type { Language } from './language';
import { type Slices, WHOLE_NS } from './slices';

export interface Sampling {
  readonly decoder: Decoder;
  readonly state: ModelState;
  readonly prompt: ArrayLike<number>;
  /** 0: always the likeliest token. */
  readonly temperature: number;
  readonly seed: number;
}

/**
 * The tokens after the prompt, endlessly, unless logits are not finite. If the context is full, its last half stays, so
 * that the decoder's cache then serves half a context of further tokens.
 */
export function* continuation({ decoder, state, prompt, temperature, seed }: Sampling): Iterator<number, undefined> {
  const { context, vocabulary } = decoder;
  const generator = new Generator(seed);
  let tokens = Array.from(prompt).slice(-context);
  for (;;) {
    const logits = decoder.after(state, tokens);
    const best = argmax(logits, 0, vocabulary);
    if (best < 0 || !Number.isFinite(logits[best])) return undefined;
    const next = temperature === 0 ? best : multinomialOne(generator, softmax(logits, 0, vocabulary, temperature));
    yield next;
    if (tokens.length >= context) tokens = tokens.slice(tokens.length - Math.floor(context / 2));
    tokens.push(next);
  }
}

const SAMPLE = { prompt: 8, most: 80, least: 24, temperature: 0.8, seed: 0 };

/**
 * The model's text after the first characters of its data: prompt and continuation. Undefined for sequence tasks, and
 * if the logits are not finite.
 */
export function createTextView(language: Language): ((state: ModelState) => Slices<string | undefined>) | undefined {
  const { dataset, tokens, context, isText } = language;
  if (!isText) return undefined;
  const decoder = language.createDecoder();
  const first = (dataset.train[0] ?? 0) * context;
  const prompt = dataset.inputs.subarray(first, first + Math.min(SAMPLE.prompt, context));
  const affordable = Math.floor(WHOLE_NS / decoder.tokenNs) - prompt.length;
  const length = Math.max(SAMPLE.least, Math.min(SAMPLE.most, affordable));
  return function* slices(state) {
    const { temperature, seed } = SAMPLE;
    const drawn = continuation({ decoder, state, prompt, temperature, seed });
    const written: number[] = [];
    while (written.length < length) {
      const { done, value } = drawn.next();
      if (done) return undefined;
      written.push(value);
      yield decoder.tokenNs;
    }
    return tokens.decode([...prompt, ...written]);
  };
}
