/**
 * WebGPU in Node: Dawn's bindings from the npm package `webgpu`. The entry point has added a Vulkan driver to the
 * environment if necessary. On a software adapter, Dawn's polling leaves the cores to the computation. There is no
 * fallback here: if Dawn cannot be loaded, the result says so, and the session decides.
 */
import { isSoftware } from '../base/is-software';
import { pollPatiently } from '../base/patient-polling';

export interface Dawn {
  readonly gpu: GPU | undefined;
  /** Why there is no GPU. */
  readonly problem: string;
}

/**
 * Keep the result as long as one of its devices lives: Dawn aborts the process if its instance is garbage-collected.
 */
export async function openDawn(): Promise<Dawn> {
  try {
    const { create, globals } = await import('webgpu');
    // GPUBufferUsage and similar constants, which are globals in a browser.
    Object.assign(globalThis, globals);
    const gpu = create([]);
    const adapter = await gpu.requestAdapter();
    if (adapter && isSoftware(adapter.info)) pollPatiently();
    return { gpu, problem: '' };
  } catch (error) {
    return { gpu: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}
