/**
 * The state that the parts of one WebGPU executor share: the device, its memory, compiled kernels, the loss ring. The
 * executor builds it once.
 */
import type { OpTable } from '../../graph/op';
import type { Program } from '../../program/instruction';
import type { ProgramKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import { bindDispatches, type DispatchCommand } from './bind-dispatches';
import type { OpenedDevice } from './device';
import type { DispatchSpec } from './dispatch';
import type { GpuMemory } from './executor-memory';
import type { LossRing } from './loss-ring';
import type { MemoryLayout } from './memory-layout';
import { type CompiledKernel, kernelKey, pipelinesOf } from './pipelines';
import type { LossPlan } from './plan-losses';
import type { StagingPool } from './staging-pool';

export interface GpuContext {
  readonly opened: OpenedDevice;
  readonly layout: MemoryLayout;
  readonly memory: GpuMemory;
  readonly ops: OpTable;
  /** The Programs with only the hosted lanes. */
  readonly programs: readonly Program[];
  readonly devices: readonly DeviceIndex[];
  readonly kernels: KernelSet;
  readonly staging: StagingPool;
  readonly ring: LossRing;
  /** By Program. */
  readonly losses: ReadonlyMap<ProgramKey, LossPlan>;
}

/** The kernels of one executor by kernelKey, compiled through the device's cache. */
export class KernelSet {
  private readonly compiled = new Map<string, CompiledKernel>();

  constructor(
    private readonly opened: OpenedDevice,
    private readonly shaders: Readonly<Record<string, string>>,
  ) {}

  async compile(specs: readonly DispatchSpec[], onProgress?: (done: number, total: number) => void): Promise<void> {
    const wanted = new Map(specs.map((spec) => [kernelKey(spec), spec]));
    for (const key of this.compiled.keys()) wanted.delete(key);
    let done = 0;
    onProgress?.(done, wanted.size);
    await Promise.all(
      [...wanted].map(async ([key, spec]) => {
        this.compiled.set(key, await pipelinesOf(this.opened).compile(spec, this.shaders));
        onProgress?.(++done, wanted.size);
      }),
    );
  }

  /** Commands for specs whose kernels compile() has compiled; with `now`, other kernels are compiled synchronously. */
  bind(
    specs: readonly DispatchSpec[],
    memory: GpuMemory,
    label: string,
    options: { readonly now?: boolean } = {},
  ): readonly DispatchCommand[] {
    for (const spec of specs) {
      const key = kernelKey(spec);
      if (options.now && !this.compiled.has(key))
        this.compiled.set(key, pipelinesOf(this.opened).now(spec, this.shaders));
    }
    return bindDispatches(specs, this.compiled, memory, label);
  }
}
