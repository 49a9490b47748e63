/**
 * Runs the launches of one operator on a real WebGPU device, for several instances in one dispatch, and reads every
 * output back. For tests of kernels: nothing is cached but pipelines, for all files that a process runs. Programs are
 * run by `runtime/webgpu`.
 */
import { create, globals } from 'webgpu';
import { at, must } from '../../base/invariant';
import { pollPatiently } from '../../base/patient-polling';
import { elements, type HostArray } from '../../tensor/shape';
import { type KernelTuning, SOFTWARE_TUNING } from '../kernel-tuning';
import type { DenseLaunch, OpDef, OpTypes } from '../op';
import { lowerFor } from '../workgroup-launches';
import { ALL_SHADERS } from './all-shaders';
import { type KernelLayout, kernelLayout } from './kernel-layout';

/** Elements; instances of a tensor start at multiples of it (WebGPU's 256 bytes). */
const ALIGN = 64;

interface Tensor {
  readonly buffer: GPUBuffer;
  readonly stride: number;
  readonly length: number;
}

interface Compiled {
  readonly layout: KernelLayout;
  readonly pipeline: GPUComputePipeline;
}

interface Kept {
  readonly gpu: GPU;
  readonly device: GPUDevice;
  readonly pipelines: Map<string, Compiled>;
}

/** The device of the process, which vitest keeps for many files. */
let kept: Promise<Kept> | undefined;

async function openKept(): Promise<Kept> {
  Object.assign(globalThis, globals);
  pollPatiently();
  const gpu = create([]);
  const adapter = must(await gpu.requestAdapter(), 'a WebGPU adapter (set VK_DRIVER_FILES to SwiftShader)');
  const requiredFeatures = (['shader-f16', 'subgroups'] as const).filter((feature) => adapter.features.has(feature));
  const device = await adapter.requestDevice({ requiredFeatures });
  process.once('exit', () => {
    device.destroy();
    kept = undefined;
  });
  return { gpu, device, pipelines: new Map() };
}

export class LaunchRunner {
  readonly #pipelines: Map<string, Compiled>;
  readonly device: GPUDevice;

  private constructor(
    private readonly kept: Kept,
    readonly tuning: KernelTuning = SOFTWARE_TUNING,
    private readonly shaders: Readonly<Record<string, string>> = ALL_SHADERS,
  ) {
    this.device = kept.device;
    this.#pipelines = kept.pipelines;
  }

  static async open(): Promise<LaunchRunner> {
    kept ??= openKept();
    return new LaunchRunner(await kept);
  }

  /** The same device, for which operators are lowered by another tuning. */
  tuned(tuning: KernelTuning): LaunchRunner {
    return new LaunchRunner(this.kept, tuning, this.shaders);
  }

  /** The same device with other kernels, by id. */
  withShaders(shaders: Readonly<Record<string, string>>): LaunchRunner {
    return new LaunchRunner(this.kept, this.tuning, shaders);
  }

  /**
   * `inputs[instance][i]`; returns `outputs[instance][k]`. Outputs start as NaN, so that an element nobody writes
   * shows, and are empty where no launch binds them: scratch that this tuning has no use for. Entries after the inputs
   * give an output that is updated in place its contents.
   */
  async run(
    op: OpDef,
    types: OpTypes,
    inputs: readonly (readonly (HostArray | undefined)[])[],
  ): Promise<Float32Array[][]> {
    const instances = inputs.length;
    const tensors = [...types.inputs, ...types.outputs].map((type, i): Tensor => {
      const length = elements(type.shape);
      const stride = Math.ceil(length / ALIGN) * ALIGN;
      const words = new Uint32Array(stride * instances).fill(0x7fc00000);
      inputs.forEach((given, z) => {
        const data = given[i];
        if (data) words.set(new Uint32Array(data.buffer, data.byteOffset, data.length), z * stride);
      });
      const buffer = this.#buffer(
        words.byteLength,
        GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
      );
      this.device.queue.writeBuffer(buffer, 0, words);
      return { buffer, stride, length };
    });
    this.device.pushErrorScope('validation');
    const encoder = this.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    const launches = lowerFor(op, types, this.tuning);
    for (const launch of launches) {
      if (launch.kind !== 'dense') throw new Error(`${op.name}: only dense launches are tested here`);
      this.#encode(pass, launch, tensors, instances);
    }
    pass.end();
    this.device.queue.submit([encoder.finish()]);
    const error = await this.device.popErrorScope();
    if (error) throw new Error(`${op.name}: ${error.message}`);
    const outputs = await Promise.all(
      tensors.slice(types.inputs.length).map((tensor, k) => {
        const operand = types.inputs.length + k;
        const bound = launches.some((launch) => launch.kind === 'dense' && launch.bindings.includes(operand));
        return bound ? this.#read(tensor, instances) : inputs.map(() => new Float32Array());
      }),
    );
    for (const { buffer } of tensors) buffer.destroy();
    return inputs.map((_, z) => outputs.map((perInstance) => at(perInstance, z)));
  }

  #buffer(size: number, usage: GPUBufferUsageFlags): GPUBuffer {
    return this.device.createBuffer({ size: Math.max(16, size), usage });
  }

  #encode(pass: GPUComputePassEncoder, launch: DenseLaunch, tensors: readonly Tensor[], instances: number): void {
    const { layout, pipeline } = this.#pipeline(launch);
    const bound = launch.bindings.map((operand) => at(tensors, operand));
    const words = new DataView(new ArrayBuffer((launch.params.length + bound.length) * 4));
    launch.params.forEach((p, i) => {
      if (typeof p === 'number') words.setUint32(i * 4, p, true);
      else words.setFloat32(i * 4, p.f32, true);
    });
    bound.forEach(({ stride }, i) => {
      words.setUint32((launch.params.length + i) * 4, stride, true);
    });
    const params = this.#buffer(words.byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    this.device.queue.writeBuffer(params, 0, words.buffer);
    const entries = bound.map(({ buffer, stride, length }, binding) => ({
      binding,
      // Whole vectors of four, which some kernels read.
      resource: { buffer, size: ((instances - 1) * stride + Math.ceil(length / 4) * 4) * 4 },
    }));
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, this.device.createBindGroup({ layout: layout.tensors, entries }));
    pass.setBindGroup(
      1,
      this.device.createBindGroup({ layout: layout.params, entries: [{ binding: 0, resource: { buffer: params } }] }),
    );
    pass.dispatchWorkgroups(launch.workgroups[0], launch.workgroups[1], instances);
  }

  #pipeline(launch: DenseLaunch): Compiled {
    const source = must(this.shaders[launch.kernel], launch.kernel);
    const declared = new Set([...source.matchAll(/^override (\w+)/gm)].map(([, name]) => name));
    const constants = Object.fromEntries(Object.entries(launch.constants ?? {}).filter(([name]) => declared.has(name)));
    const key = `${launch.kernel} ${JSON.stringify(constants)} ${source}`;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const layout = kernelLayout(this.device, launch.kernel);
    const module = this.device.createShaderModule({ label: launch.kernel, code: source });
    const pipeline = this.device.createComputePipeline({
      label: key,
      layout: layout.pipeline,
      compute: { module, entryPoint: 'main', constants },
    });
    const compiled = { layout, pipeline };
    this.#pipelines.set(key, compiled);
    return compiled;
  }

  async #read(tensor: Tensor, instances: number): Promise<Float32Array[]> {
    const size = tensor.stride * instances * 4;
    const staging = this.#buffer(size, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(tensor.buffer, 0, staging, 0, size);
    this.device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const all = new Float32Array(staging.getMappedRange().slice(0));
    staging.destroy();
    return Array.from({ length: instances }, (_, z) => all.slice(z * tensor.stride, z * tensor.stride + tensor.length));
  }
}
