/**
 * The Mersenne Twister MT19937 with 32-bit output: the engine behind torch's CPU generator. It only produces words;
 * `generator.ts` turns them into numbers. Source: Matsumoto and Nishimura, 1998; torch keeps the low 32 bits of a seed.
 */
const WORDS = 624;
const SHIFT = 397;

function tempered(word: number): number {
  let y = word;
  y ^= y >>> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  y ^= y >>> 18;
  return y >>> 0;
}

export class Mt19937 {
  readonly #state = new Uint32Array(WORDS);
  readonly #drawn = new Uint32Array(WORDS);
  #next = WORDS;

  /** Resets the engine; must be called before the first word. Only the low 32 bits of the seed count. */
  seed(seed: number): void {
    const state = this.#state;
    let previous = seed >>> 0;
    state[0] = previous;
    for (let j = 1; j < WORDS; j++) {
      previous = (Math.imul(1812433253, previous ^ (previous >>> 30)) + j) >>> 0;
      state[j] = previous;
    }
    this.#next = WORDS;
  }

  /** The next word, 0 .. 2^32 - 1. */
  word(): number {
    if (this.#next === WORDS) this.#refill();
    return tempered(this.#state[this.#next++] as number);
  }

  /**
   * The next words, at least one and at most `most`: the rest of the block. Valid until the next call. Large tensors
   * are drawn this way, in half the time of word().
   */
  words(most: number): Uint32Array {
    if (this.#next === WORDS) this.#refill();
    const from = this.#next;
    const count = Math.min(most, WORDS - from);
    const drawn = this.#drawn;
    for (let k = 0; k < count; k++) drawn[k] = tempered(this.#state[from + k] as number);
    this.#next += count;
    return drawn.subarray(0, count);
  }

  /** A copy of the block of words, and the index of the next word in it (624: a new block follows). */
  position(): { readonly state: Uint32Array; readonly next: number } {
    return { state: this.#state.slice(), next: this.#next };
  }

  static at(state: Uint32Array, next: number): Mt19937 {
    const engine = new Mt19937();
    engine.#state.set(state);
    engine.#next = next;
    return engine;
  }

  copy(): Mt19937 {
    return Mt19937.at(this.#state, this.#next);
  }

  #refill(): void {
    const state = this.#state;
    for (let k = 0; k < WORDS; k++) {
      const after = state[k + 1 < WORDS ? k + 1 : 0] as number;
      const far = state[k + SHIFT < WORDS ? k + SHIFT : k + SHIFT - WORDS] as number;
      const y = ((state[k] as number) & 0x80000000) | (after & 0x7fffffff);
      state[k] = far ^ (y >>> 1) ^ ((after & 1) === 1 ? 0x9908b0df : 0);
    }
    this.#next = 0;
  }
}
