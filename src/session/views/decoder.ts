/** The seam of decoding token by token: what a model says after some tokens. window-decoder.ts evaluates the whole context for each token. */
import type { ModelState } from '../evaluator';

export interface Decoder {
  /** Most tokens that it looks at. */
  readonly context: number;
  /** Logits of what follows the last of `tokens` (1 to `context` of them); valid until the next call. */
  after(state: ModelState, tokens: ArrayLike<number>): Float32Array;
}
