/**
 * The memory of WebAssembly kernels, for one executor or evaluator: scratch memory first, then the owner's tensors, so
 * that no kernel copies operands in or results out. In a team of threads each thread has its own scratch memory, and
 * independent calls are distributed over the threads.
 */
import type { DType, HostArray } from '../../tensor/shape';
import type { Product } from '../gemm';
import { instantiate, type KernelName, type Kernels, runAll } from './kernels';
import type { StartTeam, Team } from './team';

/** Scratch memory for packed panels of products, padded images, keys and values of a head. */
const SCRATCH_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 65_536;
/** The limit of 32-bit addresses. */
const MOST_PAGES = 65_536;
const ALIGNMENT = 64;
/** Fewest multiply-adds of a product per thread. */
const PRODUCT_OF_A_THREAD = 100_000;

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

export class Vectors {
  readonly kernels: Kernels;
  readonly scratch = 0;
  readonly #memory: WebAssembly.Memory;
  readonly #team: Team | undefined;
  readonly #threads: number;
  readonly #calls = new WeakMap<Product, readonly (readonly number[])[]>();
  #next: number;

  private constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, start: StartTeam | undefined) {
    this.#memory = memory;
    this.kernels = instantiate(module, memory);
    this.#threads = start?.threads ?? 1;
    this.#team = start?.start({ module, memory, kernels: this.kernels, scratchBytes: SCRATCH_BYTES });
    this.#next = SCRATCH_BYTES * this.#threads;
  }

  /**
   * Opens a memory with room for regions of these sizes. Undefined if they exceed the address space or the machine's
   * memory: then the plain kernels run, with the same bits. With `start`, `module` must be the module for shared
   * memory.
   */
  static open(module: WebAssembly.Module, regions: readonly number[], start?: StartTeam): Vectors | undefined {
    const bytes = SCRATCH_BYTES * (start?.threads ?? 1) + regions.reduce((sum, region) => sum + aligned(region), 0);
    const pages = Math.ceil(bytes / PAGE_BYTES);
    if (pages > MOST_PAGES) return undefined;
    try {
      // Shared memory must have the maximum that the module was compiled with.
      const limits = start ? { maximum: MOST_PAGES, shared: true } : { maximum: pages };
      return new Vectors(module, new WebAssembly.Memory({ initial: pages, ...limits }), start);
    } catch {
      return undefined;
    }
  }

  /** Number of threads that compute so far; threads take a while to start. */
  get threads(): number {
    return this.#team?.here() ?? 1;
  }

  /** Allocates a tensor of zeros with `length` elements. */
  array(dtype: DType, length: number): HostArray {
    const { buffer, offset } = this.allocate(4 * length);
    return dtype === 'f32' ? new Float32Array(buffer, offset, length) : new Int32Array(buffer, offset, length);
  }

  /** Allocates a zeroed region. */
  allocate(bytes: number): { readonly buffer: ArrayBuffer; readonly offset: number } {
    const offset = this.#next;
    this.#next += aligned(bytes);
    return { buffer: this.#memory.buffer, offset };
  }

  /** Whether that many bytes fit into scratch memory. */
  fits = (bytes: number): boolean => bytes <= SCRATCH_BYTES;

  doubles = (address: number, length: number): Float64Array => new Float64Array(this.#memory.buffer, address, length);

  floats = (address: number, length: number): Float32Array => new Float32Array(this.#memory.buffer, address, length);

  words = (address: number, length: number): Int32Array => new Int32Array(this.#memory.buffer, address, length);

  /** Divides 0 to n into one run per thread, but none shorter than `least`; all begin at multiples of `step`. */
  runs(n: number, least: number, step = 4): readonly (readonly [from: number, to: number])[] {
    const count = Math.max(1, Math.min(this.#threads, Math.floor(n / least)));
    const length = Math.ceil(n / count / step) * step;
    return Array.from({ length: count }, (_, k) => [Math.min(n, k * length), Math.min(n, (k + 1) * length)] as const);
  }

  /** Runs independent calls. `ownScratch`: each call also gets its thread's scratch memory, as its last number. */
  each(kernel: KernelName, calls: readonly (readonly number[])[], ownScratch = false): void {
    if (this.#team && calls.length > 1) this.#team.run(kernel, calls, ownScratch);
    else runAll(this.kernels[kernel], calls, ownScratch ? this.scratch : undefined);
  }

  /** Like gemm; all operands must be in this memory. */
  product(product: Product): void {
    const known = this.#calls.get(product) ?? this.#callsOf(product);
    this.#calls.set(product, known);
    this.each('product', known, true);
  }

  /** One call per run of rows, or of columns if the result has more columns than rows. */
  #callsOf({ M, N, K, a, b, c, add, bias }: Product): readonly (readonly number[])[] {
    const [am, ak] = a.strides;
    const [bk, bn] = b.strides;
    const [aAt, bAt, cAt] = [addressIn(a), addressIn(b), addressIn(c)];
    const biasAt = bias?.byteOffset ?? 0;
    const byRows = M >= N / 2;
    const least = PRODUCT_OF_A_THREAD / (K * (byRows ? N : M));
    return this.runs(byRows ? M : N, Math.max(8, least), 8).map(([from, to]) => {
      const [m, n] = byRows ? [from, 0] : [0, from];
      const [rows, columns] = byRows ? [to - from, N] : [M, to - from];
      return [
        ...[rows, columns, K],
        ...[aAt + 4 * m * am, am, ak],
        ...[bAt + 4 * n * bn, bk, bn],
        ...[cAt + 4 * (m * N + n), N, biasAt && biasAt + 4 * n, add ? 1 : 0],
      ];
    });
  }

  /** Ends the other threads. */
  close(): void {
    this.#team?.close();
  }
}

/** The address of an array in a memory of vectors. */
export const addressOf = (array: HostArray): number => array.byteOffset;

const addressIn = ({ data, offset }: Pick<Product['c'], 'data' | 'offset'>): number => data.byteOffset + 4 * offset;
