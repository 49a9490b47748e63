/**
 * Mappable buffers for reading tensors back, kept for reuse by size class: after the first steps nothing is allocated.
 * A read is: acquire, encode copies, submit, take.
 */
import type { GpuMemory } from './executor-memory';
import { COPY_DST, MAP_READ, MODE_READ } from './gpu-flags';
import { WORD_BYTES } from './gpu-words';

export class StagingPool {
  private readonly free = new Map<number, GPUBuffer[]>();

  constructor(private readonly memory: GpuMemory) {}

  acquire(bytes: number): GPUBuffer {
    const size = sizeClass(bytes);
    return this.free.get(size)?.pop() ?? this.memory.create(`readback ${size} bytes`, size, MAP_READ | COPY_DST);
  }

  /** Waits for everything submitted so far, copies the first `bytes` out and returns the buffer to the pool. */
  async take(buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
    const { data, release } = await this.open(buffer, bytes);
    try {
      return data.slice(0, bytes);
    } finally {
      release();
    }
  }

  /**
   * Waits for everything submitted so far; `data` begins with the bytes, and can be read until release() returns the
   * buffer to the pool.
   */
  async open(buffer: GPUBuffer, bytes: number): Promise<{ readonly data: ArrayBuffer; release(): void }> {
    const release = () => {
      if (buffer.mapState === 'mapped') buffer.unmap();
      const list = this.free.get(buffer.size) ?? [];
      list.push(buffer);
      this.free.set(buffer.size, list);
    };
    try {
      const span = Math.max(1, Math.ceil(bytes / WORD_BYTES)) * WORD_BYTES;
      await buffer.mapAsync(MODE_READ, 0, span);
      return { data: buffer.getMappedRange(0, span), release };
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** Powers of two from 1 KiB. */
const sizeClass = (bytes: number): number => 2 ** Math.max(10, Math.ceil(Math.log2(Math.max(1, bytes))));
