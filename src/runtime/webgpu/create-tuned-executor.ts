/**
 * The WebGPU executor with its kernels and their tuning. A separate module, loaded with the first executor on a GPU:
 * the kernels' sources are a large part of a worker's code, and a worker that computes on the CPU does not need them.
 * Called by launch/open-executors.ts alone.
 */
import { loadPart } from '../../base/load-part';
import { shadersFor } from '../../graph/shader-sources';
import type { Executor } from '../executor';
import { subgroupKernels } from './subgroups';
import { chooseTuning } from './tuning/choose-tuning';
import { browserTuningStore, type TuningStore } from './tuning/tuning-store';
import { createWebgpuExecutor, type WebgpuExecutorOptions } from './webgpu-executor';

export interface TunedOptions extends Omit<WebgpuExecutorOptions, 'shaders' | 'tuning'> {
  /** The store of measured tunings; absent: the browser's, if any. */
  readonly tuningStore?: TuningStore | undefined;
}

export async function createTunedExecutor({
  tuningStore = browserTuningStore(),
  ...options
}: TunedOptions): Promise<Executor> {
  const { opened } = options;
  try {
    const instructions = computesOf(options.programs);
    const plain = await shadersFor(instructions.map(({ op }) => op));
    const tuning = await chooseTuning(opened, plain, tuningStore);
    const { shaders, ...subgroups } = await subgroupKernels(opened, plain, tuning);
    const own = { ...opened, info: { ...opened.info, ...subgroups } };
    if (!instructions.some(({ attrs }) => Object.values(attrs).includes('f16')))
      return await createWebgpuExecutor({ ...options, opened: own, shaders, tuning });
    const { float16Kernels } = await loadPart('The kernels of float16', () => import('./float16'));
    const { float16, ...kernels } = await float16Kernels(own, shaders);
    const info = { ...own.info, float16 };
    return await createWebgpuExecutor({ ...options, opened: { ...own, info }, ...kernels, tuning });
  } catch (error) {
    // The device may be lost while kernels are measured or compiled.
    throw await opened.explain(error);
  }
}

const computesOf = (programs: TunedOptions['programs']) =>
  programs.flatMap(({ lanes }) =>
    lanes.flatMap(({ instructions }) => instructions.filter((each) => each.kind === 'compute')),
  );
