/**
 * Compiled kernels of one GPUDevice. Bind group layouts are explicit, made from the kernel table: group 0 the tensors,
 * group 1 the uniform parameters (binding 0) and, for segmented kernels, the block table (binding 1). There is one
 * pipeline per kernel, source and set of constants, and one shader module per source.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import { isWritten, type KernelSpec } from '../../graph/kernel-spec';
import { KERNELS, type KernelId } from '../../graph/kernel-table';
import { STAGE_COMPUTE } from './gpu-flags';
import { WORD_BYTES } from './gpu-words';

export interface KernelUse {
  readonly kernel: KernelId;
  readonly constants: Readonly<Record<string, number>>;
}

export interface CompiledKernel {
  readonly pipeline: GPUComputePipeline;
  readonly tensors: GPUBindGroupLayout;
  readonly params: GPUBindGroupLayout;
}

/** Words of a row of the block table: one offset per binding, count, extra. */
export const blockWords = (spec: KernelSpec): number => spec.tensors.length + 2;
/** Words of the Params struct: the parameters, then for dense kernels one stride per tensor. */
export const paramWords = (spec: KernelSpec): number => spec.params + (spec.segmented ? 0 : spec.tensors.length);

export function kernelKey({ kernel, constants }: KernelUse): string {
  const sorted = Object.entries(constants).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? kernel : `${kernel}(${sorted.map(([name, value]) => `${name}=${value}`).join(',')})`;
}

/**
 * The cache of a device. Made here and not with the device, because a page that trains on the CPU needs no kernel
 * table.
 */
export const pipelinesOf = (opened: {
  readonly device: GPUDevice;
  readonly compiled: { pipelines?: PipelineCache };
}): PipelineCache => {
  const { device, compiled } = opened;
  compiled.pipelines ??= new PipelineCache(device);
  return compiled.pipelines;
};

export class PipelineCache {
  private readonly modules = new Map<string, GPUShaderModule>();
  private readonly layouts = new Map<
    string,
    { tensors: GPUBindGroupLayout; params: GPUBindGroupLayout; pipeline: GPUPipelineLayout }
  >();
  private readonly compiled = new Map<string, Promise<CompiledKernel>>();
  private readonly ready = new Map<string, CompiledKernel>();

  constructor(private readonly device: GPUDevice) {}

  /** Compiles asynchronously; the same kernel is compiled once. */
  compile(use: KernelUse, shaders: Readonly<Record<string, string>>): Promise<CompiledKernel> {
    const source = sourceOf(use.kernel, shaders);
    const key = `${kernelKey(use)}\n${source}`;
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const layouts = this.layoutsOf(use.kernel);
    const made = this.device
      .createComputePipelineAsync(this.descriptor(use, source, layouts.pipeline))
      .then((pipeline) => this.keep(key, { pipeline, tensors: layouts.tensors, params: layouts.params }))
      .catch(async (error: unknown) => {
        this.compiled.delete(key);
        const info = await this.moduleOf(use.kernel, source).getCompilationInfo();
        const lines = info.messages.map(
          ({ lineNum, linePos, message }) => `${use.kernel}.wgsl:${lineNum}:${linePos} ${message}`,
        );
        const reason = lines.join('; ') || (error instanceof Error ? error.message : String(error));
        throw new LockstepError(
          'gpu',
          `Kernel ${kernelKey(use)} does not compile: ${reason}`,
          'This is a bug in Lockstep or in the driver.',
        );
      });
    this.compiled.set(key, made);
    return made;
  }

  /** The kernel from compile(), or else compiled synchronously (stalls; for test hooks only). */
  now(use: KernelUse, shaders: Readonly<Record<string, string>>): CompiledKernel {
    const source = sourceOf(use.kernel, shaders);
    const key = `${kernelKey(use)}\n${source}`;
    const known = this.ready.get(key);
    if (known) return known;
    const { tensors, params, pipeline } = this.layoutsOf(use.kernel);
    return this.keep(key, {
      pipeline: this.device.createComputePipeline(this.descriptor(use, source, pipeline)),
      tensors,
      params,
    });
  }

  private keep(key: string, kernel: CompiledKernel): CompiledKernel {
    this.ready.set(key, kernel);
    return kernel;
  }

  private descriptor(use: KernelUse, source: string, layout: GPUPipelineLayout): GPUComputePipelineDescriptor {
    const label = kernelKey(use);
    return {
      label,
      layout,
      compute: { module: this.moduleOf(use.kernel, source), entryPoint: 'main', constants: { ...use.constants } },
    };
  }

  private moduleOf(kernel: KernelId, source: string): GPUShaderModule {
    const known = this.modules.get(source);
    if (known) return known;
    const made = this.device.createShaderModule({ label: kernel, code: source });
    this.modules.set(source, made);
    return made;
  }

  private layoutsOf(kernel: KernelId) {
    const known = this.layouts.get(kernel);
    if (known) return known;
    const spec: KernelSpec = KERNELS[kernel];
    const tensors = this.device.createBindGroupLayout({
      label: `${kernel} tensors`,
      entries: Array.from(spec.tensors, (_, binding) => ({
        binding,
        visibility: STAGE_COMPUTE,
        // The size of a vector of four floats: dispatches bind whole vectors (plan-compute.ts).
        buffer: { type: isWritten(spec, binding) ? 'storage' : 'read-only-storage', minBindingSize: 16 },
      })),
    });
    const words = paramWords(spec);
    const uniform: GPUBindGroupLayoutEntry[] =
      words > 0
        ? [{ binding: 0, visibility: STAGE_COMPUTE, buffer: { type: 'uniform', minBindingSize: words * WORD_BYTES } }]
        : [];
    const table: GPUBindGroupLayoutEntry[] = spec.segmented
      ? [
          {
            binding: 1,
            visibility: STAGE_COMPUTE,
            buffer: { type: 'read-only-storage', minBindingSize: blockWords(spec) * WORD_BYTES },
          },
        ]
      : [];
    const params = this.device.createBindGroupLayout({ label: `${kernel} params`, entries: [...uniform, ...table] });
    const pipeline = this.device.createPipelineLayout({ label: kernel, bindGroupLayouts: [tensors, params] });
    const made = { tensors, params, pipeline };
    this.layouts.set(kernel, made);
    return made;
  }
}

function sourceOf(kernel: KernelId, shaders: Readonly<Record<string, string>>): string {
  return must(shaders[kernel], `source of shader ${kernel}`);
}
