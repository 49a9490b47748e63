/**
 * Owns an executor's tensors: allocates the layout's buffers, writes their fill values, and returns GPUBuffers by
 * index. Everything else that lives as long as the executor (uniforms, tables, rings, staging) is registered here as
 * well, so that dispose() frees it.
 */
import { at } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import { filled } from '../../program/stored-tensor';
import { programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { HostArray } from '../../tensor/shape';
import { COPY_DST, COPY_SRC, STORAGE } from './gpu-flags';
import { WORD_BYTES } from './gpu-words';
import type { MemoryLayout } from './memory-layout';

export class GpuMemory {
  private readonly tensors: GPUBuffer[] = [];
  private readonly others: GPUBuffer[] = [];

  constructor(
    readonly device: GPUDevice,
    readonly layout: MemoryLayout,
  ) {
    this.allocateReserved();
  }

  /** The GPUBuffer of an index of the layout. */
  buffer(index: number): GPUBuffer {
    if (index >= this.tensors.length) this.allocateReserved();
    return at(this.tensors, index);
  }

  /** Creates a buffer that is not a tensor; it is freed with the others. */
  create(label: string, size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    const buffer = this.device.createBuffer({
      label,
      size: Math.max(1, Math.ceil(size / WORD_BYTES)) * WORD_BYTES,
      usage,
    });
    this.others.push(buffer);
    return buffer;
  }

  fill(programs: readonly Program[], devices: readonly DeviceIndex[]): void {
    for (const program of programs) {
      for (const { device, buffers } of program.lanes) {
        if (!devices.includes(device)) continue;
        for (const spec of buffers) {
          if (!spec.fill || !spec.persistent) continue;
          const { buffer, offset } = this.layout.locate(programKey(program.kind), device, spec.name);
          this.write(buffer, offset, filled(spec));
        }
      }
    }
  }

  write(buffer: number, offset: number, data: HostArray): void {
    this.device.queue.writeBuffer(this.buffer(buffer), offset, data.buffer, data.byteOffset, data.byteLength);
  }

  dispose(): void {
    for (const buffer of [...this.tensors, ...this.others]) buffer.destroy();
  }

  /** Buffers that were reserved in the layout since the last call. */
  private allocateReserved(): void {
    for (const { label, bytes } of this.layout.buffers.slice(this.tensors.length)) {
      this.tensors.push(this.device.createBuffer({ label, size: bytes, usage: STORAGE | COPY_SRC | COPY_DST }));
    }
  }
}
