/**
 * GPU timestamps of a run of passes, two per pass, on the host's clock. The GPU's clock has another zero, so the first
 * begin is set to the time of the submit. Quantised stamps are spread within their tick.
 */
import { at } from '../../base/invariant';
import type { GpuMemory } from './executor-memory';
import { COPY_SRC, QUERY_RESOLVE } from './gpu-flags';
import { spreadTicks, type TickSpan } from './spread-ticks';
import type { StagingPool } from './staging-pool';

/** WebGPU's limit for one query set. */
const SET_SIZE = 4096;

export class TimestampLog {
  private readonly sets: GPUQuerySet[] = [];
  private readonly resolved: GPUBuffer;

  constructor(
    memory: GpuMemory,
    /** Most passes. */
    readonly capacity: number,
  ) {
    const bytes = Math.ceil((capacity * 2) / SET_SIZE) * SET_SIZE * 8;
    for (let left = capacity * 2; left > 0; left -= SET_SIZE) {
      this.sets.push(
        memory.device.createQuerySet({ label: 'timestamps', type: 'timestamp', count: Math.min(SET_SIZE, left) }),
      );
    }
    this.resolved = memory.create('timestamps resolved', bytes, QUERY_RESOLVE | COPY_SRC);
  }

  writes(pass: number): GPUComputePassTimestampWrites {
    const begin = (pass * 2) % SET_SIZE;
    return {
      querySet: at(this.sets, Math.floor((pass * 2) / SET_SIZE)),
      beginningOfPassWriteIndex: begin,
      endOfPassWriteIndex: begin + 1,
    };
  }

  /** Encodes the copy of all stamps into `target`, 16 bytes per pass. */
  resolve(encoder: GPUCommandEncoder, passes: number, target: GPUBuffer): void {
    this.sets.forEach((set, i) => {
      const count = Math.min(set.count, passes * 2 - i * SET_SIZE);
      if (count > 0) encoder.resolveQuerySet(set, 0, count, this.resolved, i * SET_SIZE * 8);
    });
    encoder.copyBufferToBuffer(this.resolved, 0, target, 0, passes * 16);
  }

  /** After the submit, at host time `submittedUs`. */
  async read(
    target: GPUBuffer,
    passes: number,
    submittedUs: number,
    staging: StagingPool,
  ): Promise<readonly TickSpan[]> {
    const stamps = new BigInt64Array(await staging.take(target, passes * 16));
    const zero = stamps[0] ?? 0n;
    return spreadTicks(Array.from(stamps, (stamp) => submittedUs + Number(stamp - zero) / 1000));
  }
}
