/**
 * What the CPU kernels of one executor (or evaluator) keep between calls: the memory of large products, and what a
 * kernel has worked out from the shapes of its arguments. The owner makes one and passes it with every call (CpuArgs),
 * so that two runs in one process share nothing. Holds no results.
 */
import { type Product, plainGemm } from './gemm';
import { BlockedProduct } from './gemm-blocked';

/** Multiply-adds from which packing pays. */
const BLOCKED_FROM = 16_384;

const isLarge = ({ M, N, K }: Product): boolean => M * N * K >= BLOCKED_FROM && M >= 4 && N >= 4 && K >= 8;

export class CpuScratch {
  /** Made with the first large product: null where WebAssembly or its vectors cannot be had. */
  #blocked: BlockedProduct | null | undefined;
  readonly #plans = new WeakMap<object, object>();

  /** c (+)= a b (+ bias); see gemm.ts. */
  product(product: Product): void {
    if (this.#blocked === undefined && isLarge(product)) this.#blocked = BlockedProduct.create() ?? null;
    if (this.#blocked && isLarge(product)) this.#blocked.run(product);
    else plainGemm(product);
  }

  /**
   * What `make` gave for these arguments of a kernel, which a run passes anew every step, so that a step allocates
   * nothing. A kernel has one plan.
   */
  plan<K extends object, T extends object>(args: K, make: (args: K) => T): T {
    const known = this.#plans.get(args) as T | undefined;
    if (known) return known;
    const plan = make(args);
    this.#plans.set(args, plan);
    return plan;
  }
}
