/**
 * What the CPU kernels of one executor (or evaluator) keep between calls: the vectors that do large products, if it has
 * any, and what a kernel has worked out from the shapes of its arguments. The owner makes one and passes it with every
 * call (CpuArgs), so that two runs in one process share nothing. Holds no results.
 */
import { type Product, plainGemm } from './gemm';
import type { Vectors } from './vectors/vectors';

/** Multiply-adds from which packing pays. */
const PACKED_FROM = 4096;

export class CpuScratch {
  readonly #plans = new WeakMap<object, object>();

  /** `vectors`: of the memory in which the operands lie. */
  constructor(private readonly vectors?: Vectors | undefined) {}

  /** c (+)= a b (+ bias); see gemm.ts. */
  product(product: Product): void {
    const { M, N, K } = product;
    if (this.vectors && M * N * K >= PACKED_FROM) this.vectors.product(product);
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
