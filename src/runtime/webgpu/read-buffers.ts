/**
 * Executor.read: copies any number of buffers into one mappable buffer, after everything submitted so far, and reads it
 * with one map.
 */
import { elements } from '../../tensor/shape';
import type { GpuMemory } from './memory';
import type { Location } from './memory-layout';
import type { StagingPool } from './staging-pool';

/** Class indices come back as numbers, too, where bits are not asked for: everything is Float32Array. */
export async function readBuffers(
  locations: readonly Location[],
  memory: GpuMemory,
  staging: StagingPool,
  as: 'numbers' | 'bits' = 'numbers',
): Promise<Float32Array[]> {
  const lengths = locations.map(({ spec }) => elements(spec.shape));
  const bytes = lengths.reduce((sum, length) => sum + length * 4, 0);
  if (bytes === 0) return lengths.map(() => new Float32Array(0));
  const target = staging.acquire(bytes);
  const encoder = memory.device.createCommandEncoder({ label: 'read' });
  const starts: number[] = [];
  let to = 0;
  locations.forEach(({ buffer, offset }, i) => {
    const size = (lengths[i] ?? 0) * 4;
    starts.push(to);
    if (size > 0) encoder.copyBufferToBuffer(memory.buffer(buffer), offset, target, to, size);
    to += size;
  });
  memory.device.queue.submit([encoder.finish()]);
  const image = await staging.take(target, bytes);
  return locations.map(({ spec }, i) => {
    const start = starts[i] ?? 0;
    const length = lengths[i] ?? 0;
    return spec.dtype === 'i32' && as === 'numbers'
      ? Float32Array.from(new Int32Array(image, start, length))
      : new Float32Array(image.slice(start, start + length * 4));
  });
}
