/**
 * Turns planned dispatches into commands that a step only replays: looks up pipelines, makes bind groups, and puts the
 * parameters and block tables of all dispatches into one uniform and one storage buffer. Dispatches with equal
 * parameters or bindings share bind groups. Called once per set of Programs, and once for tracing.
 */
import { at, must } from '../../base/invariant';
import type { KernelSpec } from '../../graph/kernel-spec';
import { KERNELS } from '../../graph/kernel-table';
import type { DispatchSpec } from './dispatch';
import type { GpuMemory } from './executor-memory';
import { COPY_DST, STORAGE, UNIFORM } from './gpu-flags';
import { WORD_BYTES } from './gpu-words';
import { type CompiledKernel, kernelKey, paramWords } from './pipelines';

export interface DispatchCommand {
  readonly pipeline: GPUComputePipeline;
  readonly tensors: GPUBindGroup;
  readonly params: GPUBindGroup;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

const ALIGN = 256;

/** Collects word arrays into one upload, each at an aligned offset; equal contents are stored once. */
class Arena {
  private readonly known = new Map<string, number>();
  private readonly parts: { readonly offset: number; readonly words: Uint32Array }[] = [];
  private bytes = 0;

  place(words: Uint32Array): number {
    const key = words.join();
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const offset = this.bytes;
    this.known.set(key, offset);
    this.parts.push({ offset, words });
    this.bytes = Math.ceil((offset + words.byteLength) / ALIGN) * ALIGN;
    return offset;
  }

  upload(memory: GpuMemory, label: string, usage: GPUBufferUsageFlags): GPUBuffer | undefined {
    if (this.bytes === 0) return undefined;
    const image = new Uint32Array(this.bytes / WORD_BYTES);
    for (const { offset, words } of this.parts) image.set(words, offset / WORD_BYTES);
    const buffer = memory.create(label, this.bytes, usage | COPY_DST);
    memory.device.queue.writeBuffer(buffer, 0, image);
    return buffer;
  }
}

/** `kernels` holds every kernel of the specs, by kernelKey. */
export function bindDispatches(
  specs: readonly DispatchSpec[],
  kernels: ReadonlyMap<string, CompiledKernel>,
  memory: GpuMemory,
  label: string,
): readonly DispatchCommand[] {
  const uniforms = new Arena();
  const tables = new Arena();
  const places = specs.map(({ params, table }) => ({
    uniform: params.length > 0 ? uniforms.place(params) : 0,
    table: table ? tables.place(table) : 0,
  }));
  const uniformBuffer = uniforms.upload(memory, `${label} parameters`, UNIFORM);
  const tableBuffer = tables.upload(memory, `${label} block tables`, STORAGE);
  const groups = new Map<string, GPUBindGroup>();
  const group = (key: string, make: () => GPUBindGroup): GPUBindGroup => {
    const known = groups.get(key) ?? make();
    groups.set(key, known);
    return known;
  };

  return specs.map((spec, i) => {
    const key = kernelKey(spec);
    const kernel = must(kernels.get(key), `compiled ${key}`);
    const { uniform, table } = at(places, i);
    const tensorsKey = `${spec.kernel} t ${spec.tensors.map((t) => `${t.buffer}+${t.offset}:${t.size}`).join(' ')}`;
    const tensors = group(tensorsKey, () =>
      memory.device.createBindGroup({
        label: `${key} tensors`,
        layout: kernel.tensors,
        entries: spec.tensors.map(({ buffer, offset, size }, binding) => ({
          binding,
          resource: { buffer: memory.buffer(buffer), offset, size },
        })),
      }),
    );
    const words = paramWords(KERNELS[spec.kernel] satisfies KernelSpec);
    const params = group(`${spec.kernel} p ${uniform} ${table}:${spec.table?.length ?? 0}`, () => {
      const entries: GPUBindGroupEntry[] = [];
      if (words > 0)
        entries.push({
          binding: 0,
          resource: { buffer: must(uniformBuffer, 'uniforms'), offset: uniform, size: words * WORD_BYTES },
        });
      if (spec.table)
        entries.push({
          binding: 1,
          resource: { buffer: must(tableBuffer, 'tables'), offset: table, size: spec.table.byteLength },
        });
      return memory.device.createBindGroup({ label: `${key} params`, layout: kernel.params, entries });
    });
    const [x, y, z] = spec.workgroups;
    return { pipeline: kernel.pipeline, tensors, params, x, y, z };
  });
}

/** The inner loop of every step: nothing is set twice in a row, nothing is allocated. */
export function encodeCommands(pass: GPUComputePassEncoder, commands: readonly DispatchCommand[]): void {
  let pipeline: GPUComputePipeline | undefined;
  let tensors: GPUBindGroup | undefined;
  let params: GPUBindGroup | undefined;
  for (const command of commands) {
    if (command.pipeline !== pipeline) pass.setPipeline(command.pipeline);
    if (command.tensors !== tensors) pass.setBindGroup(0, command.tensors);
    if (command.params !== params) pass.setBindGroup(1, command.params);
    ({ pipeline, tensors, params } = command);
    pass.dispatchWorkgroups(command.x, command.y, command.z);
  }
}
