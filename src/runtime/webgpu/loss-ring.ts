/**
 * Reads losses back without stalling the queue: each step copies its losses into the next row of a mappable buffer; a
 * full buffer (or one that losses() asks for) is mapped while the following steps write into another. A few buffers,
 * made once; when all are in flight, `room()` says when the next step may come.
 */
import { must } from '../../base/invariant';
import type { Loss } from '../executor';
import type { GpuMemory } from './executor-memory';
import { COPY_DST, MAP_READ, MODE_READ } from './gpu-flags';
import { WORD_BYTES } from './gpu-words';
import type { LossPlan } from './plan-losses';

const ROWS = 64;
const BUFFERS = 4;

interface Ring {
  readonly buffer: GPUBuffer;
  /** Plans of the rows written so far. */
  rows: LossPlan[];
}

export class LossRing {
  private readonly free: Ring[] = [];
  private current: Ring | undefined;
  private pending: Promise<readonly (readonly Loss[])[]>[] = [];
  private readonly mapping = new Set<Promise<unknown>>();

  /** `rowBytes`: the largest row of all plans. */
  constructor(
    memory: GpuMemory,
    private readonly rowBytes: number,
  ) {
    for (let i = 0; i < BUFFERS; i++) {
      const buffer = memory.create(`losses ${i}`, Math.max(WORD_BYTES, rowBytes) * ROWS, MAP_READ | COPY_DST);
      this.free.push({ buffer, rows: [] });
    }
    this.current = this.free.pop();
  }

  /** undefined: append() may be called now. Otherwise resolves when it may. */
  room(): Promise<unknown> | undefined {
    this.current ??= this.free.pop();
    return this.current ? undefined : Promise.race(this.mapping);
  }

  /**
   * Encodes the copies of one step; call room() first. A Program without a loss leaves an empty row, because rows of
   * several executors are matched by position.
   */
  append(encoder: GPUCommandEncoder, plan: LossPlan, source: (buffer: number) => GPUBuffer): void {
    const ring = must(this.current, 'loss ring');
    const row = ring.rows.length * this.rowBytes;
    for (const { buffer, offset, bytes, to } of plan.copies)
      encoder.copyBufferToBuffer(source(buffer), offset, ring.buffer, row + to, bytes);
    ring.rows.push(plan);
  }

  /** After the submit that contains append(). */
  submitted(): void {
    if (this.current && this.current.rows.length >= ROWS) this.rotate();
  }

  /** Losses of all steps since the last call. */
  async drain(): Promise<readonly (readonly Loss[])[]> {
    if (this.current && this.current.rows.length > 0) this.rotate();
    const pending = this.pending;
    this.pending = [];
    return (await Promise.all(pending)).flat();
  }

  private rotate(): void {
    const ring = must(this.current, 'loss ring');
    this.current = undefined;
    const { rows } = ring;
    const result = this.read(ring, rows);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.mapping.add(settled);
    void settled.then(() => this.mapping.delete(settled));
    this.pending.push(result);
  }

  private async read(ring: Ring, rows: readonly LossPlan[]): Promise<readonly (readonly Loss[])[]> {
    try {
      await ring.buffer.mapAsync(MODE_READ, 0, Math.max(WORD_BYTES, this.rowBytes * rows.length));
      const words = new Float32Array(ring.buffer.getMappedRange(0, Math.max(WORD_BYTES, this.rowBytes * rows.length)));
      return rows.map((plan, row) =>
        plan.values.map(({ word, ...of }) => ({
          ...of,
          value: words[(row * this.rowBytes) / WORD_BYTES + word] ?? Number.NaN,
        })),
      );
    } finally {
      // A failed map (device lost) also returns its buffer, so that no step waits for ever.
      if (ring.buffer.mapState === 'mapped') ring.buffer.unmap();
      ring.rows = [];
      this.free.push(ring);
    }
  }
}
