/**
 * Explicit bind group layouts of a kernel, from its table row. For the tests of this room; the runtime has its own
 * caches.
 */
import { isWritten, type KernelSpec } from '../kernel-spec';
import { KERNELS, type KernelId } from '../kernel-table';

export interface KernelLayout {
  readonly tensors: GPUBindGroupLayout;
  readonly params: GPUBindGroupLayout;
  readonly pipeline: GPUPipelineLayout;
}

const COMPUTE = 4; // GPUShaderStage.COMPUTE, which Node has no global for

export function kernelLayout(device: GPUDevice, id: KernelId): KernelLayout {
  const spec: KernelSpec = KERNELS[id];
  const tensors = device.createBindGroupLayout({
    label: `${id} tensors`,
    entries: Array.from(spec.tensors, (_, binding) => ({
      binding,
      visibility: COMPUTE,
      buffer: { type: isWritten(spec, binding) ? ('storage' as const) : ('read-only-storage' as const) },
    })),
  });
  const params = device.createBindGroupLayout({
    label: `${id} params`,
    entries: [
      { binding: 0, visibility: COMPUTE, buffer: { type: 'uniform' as const } },
      ...(spec.segmented ? [{ binding: 1, visibility: COMPUTE, buffer: { type: 'read-only-storage' as const } }] : []),
    ],
  });
  return { tensors, params, pipeline: device.createPipelineLayout({ label: id, bindGroupLayouts: [tensors, params] }) };
}
