/**
 * State that the CPU kernels of one executor (or evaluator) keep between calls: the WebAssembly kernels for large
 * products, if loaded, and plans that a kernel has computed from the shapes of its arguments. The owner makes one
 * CpuScratch and passes it with every call (CpuArgs), so that two runs in one process share nothing. Holds no results.
 */
import { type Product, plainGemm } from './gemm';
import type { Vectors } from './vectors/vectors';

/** From this many multiply-adds on, packing pays. */
const PACKED_FROM = 4096;

export class CpuScratch {
  readonly #plans = new WeakMap<object, object>();

  /** `vectors`: kernels over the memory that holds the operands. */
  constructor(private readonly vectors?: Vectors | undefined) {}

  /** c (+)= a b (+ bias); see gemm.ts. */
  product(product: Product): void {
    const { M, N, K } = product;
    if (this.vectors && M * N * K >= PACKED_FROM) this.vectors.product(product);
    else plainGemm(product);
  }

  /**
   * The plan that `make` returned for these arguments of a kernel. A run passes the same arguments object in every
   * step, so a step allocates nothing. A kernel has one plan.
   */
  plan<K extends object, T extends object>(args: K, make: (args: K) => T): T {
    const known = this.#plans.get(args) as T | undefined;
    if (known) return known;
    const plan = make(args);
    this.#plans.set(args, plan);
    return plan;
  }
}
