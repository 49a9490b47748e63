/**
 * `torch.Generator` for the CPU: the same seed gives the same parameters, shuffles and noise as PyTorch on an x86
 * machine with AVX2, bit for bit. Each instance is an independent stream; nothing is global. Rarer distributions are in
 * `distributions.ts`.
 */
import { LockstepError } from '../base/errors';
import { Mt19937 } from './mt19937';
import { NORMAL_FILL_MIN, normalFill, polarPair } from './normal';

const TWO32 = 2 ** 32;
const f = Math.fround;

export interface GeneratorPosition {
  readonly state: Uint32Array;
  /** See Mt19937.position. */
  readonly next: number;
  readonly cachedNormal: number | undefined;
}

export class Generator {
  #engine = new Mt19937();
  /** Second half of the last polar pair; kept until it is used. */
  #cachedNormal: number | undefined;
  #initialSeed = 0n;
  readonly #u24 = (): number => (this.#engine.word() & 0xffffff) / 2 ** 24;
  /** uniform24() for the elements from `start` to `end`, times `range`, plus `low`. */
  readonly #fill = (out: Float32Array, start: number, end: number, range = 1, low = 0): void => {
    for (let i = start; i < end; ) {
      const words = this.#engine.words(end - i);
      const { length } = words;
      // torch fuses the product and the sum; the double product is exact here and the store rounds once.
      for (let k = 0; k < length; k++) out[i + k] = (((words[k] as number) & 0xffffff) / 2 ** 24) * range + low;
      i += length;
    }
  };

  constructor(seed: number | bigint) {
    this.manualSeed(seed);
  }

  /** Like `torch.manual_seed`: integers from -2^63 to 2^64 - 1; for negative integers 2^64 is added. */
  manualSeed(seed: number | bigint): this {
    const wide = BigInt(seed);
    if (wide >= 1n << 64n || wide < -(1n << 63n)) {
      throw new LockstepError(
        'config',
        `Overflow when unpacking long: seed ${wide}`,
        'Choose a seed that fits into 64 bits.',
      );
    }
    this.#initialSeed = BigInt.asUintN(64, wide);
    this.#engine.seed(Number(BigInt.asUintN(32, wide)));
    this.#cachedNormal = undefined;
    return this;
  }

  get initialSeed(): bigint {
    return this.#initialSeed;
  }

  /** An independent generator at the same position. */
  clone(): Generator {
    const twin = new Generator(this.#initialSeed);
    twin.#engine = this.#engine.copy();
    twin.#cachedNormal = this.#cachedNormal;
    return twin;
  }

  /** The engine's position, and the second half of a pair of normals, if left; see rng-state.ts. */
  position(): GeneratorPosition {
    return { ...this.#engine.position(), cachedNormal: this.#cachedNormal };
  }

  /** A generator at the given position. */
  static at(initialSeed: bigint, { state, next, cachedNormal }: GeneratorPosition): Generator {
    const generator = new Generator(initialSeed);
    generator.#engine = Mt19937.at(state, next);
    generator.#cachedNormal = cachedNormal;
    return generator;
  }

  /** One 32-bit word. */
  random(): number {
    return this.#engine.word();
  }

  /** Two words, the first one high. */
  random64(): bigint {
    const high = this.#engine.word();
    return (BigInt(high) << 32n) | BigInt(this.#engine.word());
  }

  /** Uniform in [0, 1) with 24 bits: one word. */
  uniform24(): number {
    return this.#u24();
  }

  /** Uniform in [0, 1) with 53 bits: two words. */
  uniform53(): number {
    const high = this.#engine.word() & 0x1fffff;
    return (high * TWO32 + this.#engine.word()) / 2 ** 53;
  }

  /** `torch.rand(n)`. */
  rand(n: number): Float32Array<ArrayBuffer> {
    const out = new Float32Array(n);
    this.#fill(out, 0, n);
    return out;
  }

  /** Draws and discards what rand(n) or uniform(n) draws. */
  skipUniform(n: number): void {
    for (let left = n; left > 0; ) left -= this.#engine.words(left).length;
  }

  /** `torch.empty(n).uniform_(from, to)`. */
  uniform(n: number, from: number, to: number): Float32Array<ArrayBuffer> {
    const low = f(from);
    const range = f(f(to) - low);
    const out = new Float32Array(n);
    this.#fill(out, 0, n, range, low);
    return out;
  }

  /** `torch.randn(n)` for a contiguous tensor of n elements. */
  randn(n: number): Float32Array<ArrayBuffer> {
    return this.normal(n, 0, 1);
  }

  /** `torch.empty(n).normal_(mean, std)` for a contiguous tensor. */
  normal(n: number, mean: number, std: number): Float32Array<ArrayBuffer> {
    const out = new Float32Array(n);
    if (n >= NORMAL_FILL_MIN) normalFill(out, mean, std, this.#fill);
    else for (let i = 0; i < n; i++) out[i] = this.polar() * std + mean;
    return out;
  }

  /** `torch.randint(low, high, (n,))`; the bounds and their distance must be safe integers. */
  randint(low: number, high: number, n: number): number[] {
    const range = high - low;
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(range) || range <= 0) {
      throw new LockstepError(
        'config',
        `random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`,
      );
    }
    const wide = range >= TWO32;
    return Array.from(
      { length: n },
      () => (wide ? Number(this.random64() % BigInt(range)) : this.random() % range) + low,
    );
  }

  /**
   * `torch.empty((), dtype=torch.int64).random_()`: 63 bits, two words. DataLoader and RandomSampler draw their seeds
   * so.
   */
  randomInt64(): bigint {
    return BigInt.asUintN(63, this.random64());
  }

  /** `torch.randperm(n)`. */
  randperm(n: number): Int32Array<ArrayBuffer> {
    const out = new Int32Array(n);
    for (let i = 0; i < n; i++) out[i] = i;
    for (let i = 0; i < n - 1; i++) {
      const j = i + (this.#engine.word() % (n - i));
      const swap = out[i] as number;
      out[i] = out[j] as number;
      out[j] = swap;
    }
    return out;
  }

  /** One of a pair of standard normals in double precision. */
  polar(): number {
    const cached = this.#cachedNormal;
    if (cached !== undefined) {
      this.#cachedNormal = undefined;
      return cached;
    }
    const u1 = this.uniform53();
    const [first, second] = polarPair(u1, this.uniform53());
    this.#cachedNormal = second;
    return first;
  }
}
