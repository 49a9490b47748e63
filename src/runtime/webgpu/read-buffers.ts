/**
 * Executor.read: copies any number of buffers into one mappable buffer, after everything submitted so far, and reads it
 * with one map.
 */
import { fromStored } from '../../program/stored-tensor';
import { elements, tensorBytes } from '../../tensor/shape';
import type { GpuMemory } from './executor-memory';
import { WORD_BYTES, wordsOfTensor } from './gpu-words';
import type { Location } from './memory-layout';
import type { StagingPool } from './staging-pool';

/** Everything is returned as Float32Array; unless `bits` is set, class indices and halves are converted to numbers. */
export async function readBuffers(
  locations: readonly Location[],
  memory: GpuMemory,
  staging: StagingPool,
  as: 'numbers' | 'bits' = 'numbers',
): Promise<Float32Array[]> {
  const sizes = locations.map(({ spec }) => wordsOfTensor(spec) * WORD_BYTES);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes === 0) return sizes.map(() => new Float32Array(0));
  const target = staging.acquire(bytes);
  const encoder = memory.device.createCommandEncoder({ label: 'read' });
  const starts: number[] = [];
  let to = 0;
  locations.forEach(({ buffer, offset }, i) => {
    const size = sizes[i] ?? 0;
    starts.push(to);
    if (size > 0) encoder.copyBufferToBuffer(memory.buffer(buffer), offset, target, to, size);
    to += size;
  });
  memory.device.queue.submit([encoder.finish()]);
  const image = await staging.take(target, bytes);
  return locations.map(({ spec }, i) => {
    const start = starts[i] ?? 0;
    const length = elements(spec.shape);
    return spec.dtype === 'i32' && as === 'numbers'
      ? fromStored(spec, new Int32Array(image, start, length))
      : new Float32Array(image.slice(start, start + tensorBytes(spec)));
  });
}
