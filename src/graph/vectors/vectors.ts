/**
 * The memory that kernels of WebAssembly work in, for one executor or evaluator: scratch memory first, then the tensors
 * that its owner places there, so that no kernel copies an operand in or a result out.
 */
import type { DType, HostArray } from '../../tensor/shape';
import type { Product } from '../gemm';
import { instantiate, type Kernels } from './kernels';

/** For packed panels of products, padded images, keys and values of a head. */
const SCRATCH_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 65_536;
/** Of 32-bit addresses. */
const MOST_PAGES = 65_536;
const ALIGNMENT = 64;

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

export class Vectors {
  readonly kernels: Kernels;
  readonly scratch = 0;
  readonly #memory: WebAssembly.Memory;
  #next = SCRATCH_BYTES;

  private constructor(module: WebAssembly.Module, memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.kernels = instantiate(module, memory);
  }

  /**
   * With room for regions of these sizes. Undefined where they do not fit into the addresses or the machine's memory:
   * then the plain kernels do it all, with the same bits.
   */
  static open(module: WebAssembly.Module, regions: readonly number[]): Vectors | undefined {
    const bytes = SCRATCH_BYTES + regions.reduce((sum, region) => sum + aligned(region), 0);
    const pages = Math.ceil(bytes / PAGE_BYTES);
    if (pages > MOST_PAGES) return undefined;
    try {
      return new Vectors(module, new WebAssembly.Memory({ initial: pages, maximum: pages }));
    } catch {
      return undefined;
    }
  }

  /** A tensor of so many elements, zeroed. */
  array(dtype: DType, length: number): HostArray {
    const { buffer, offset } = this.allocate(4 * length);
    return dtype === 'f32' ? new Float32Array(buffer, offset, length) : new Int32Array(buffer, offset, length);
  }

  /** A region of that size, zeroed. */
  allocate(bytes: number): { readonly buffer: ArrayBuffer; readonly offset: number } {
    const offset = this.#next;
    this.#next += aligned(bytes);
    return { buffer: this.#memory.buffer, offset };
  }

  /** Whether scratch memory has room for so many bytes. */
  fits = (bytes: number): boolean => bytes <= SCRATCH_BYTES;

  doubles = (address: number, length: number): Float64Array => new Float64Array(this.#memory.buffer, address, length);

  words = (address: number, length: number): Int32Array => new Int32Array(this.#memory.buffer, address, length);

  /** As gemm; all of its operands are in this memory. */
  product({ M, N, K, a, b, c, add, bias }: Product): void {
    const address = ({ data, offset }: Pick<Product['c'], 'data' | 'offset'>) => data.byteOffset + 4 * offset;
    this.kernels.product(
      ...[M, N, K],
      ...[address(a), ...a.strides],
      ...[address(b), ...b.strides],
      ...[address(c), N, bias?.byteOffset ?? 0, add ? 1 : 0, this.scratch],
    );
  }
}

/** The address of an array in a memory of vectors. */
export const addressOf = (array: HostArray): number => array.byteOffset;
