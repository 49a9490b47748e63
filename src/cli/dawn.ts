/**
 * WebGPU in Node: Dawn's bindings from the npm package `webgpu`. The entry point has put a Vulkan driver into the
 * environment where one was needed. On a software adapter Dawn's polling leaves the cores to what computes. Not a
 * fallback: where Dawn cannot be loaded it says so, and the session decides.
 */
import { isSoftware } from '../base/is-software';
import { pollPatiently } from '../base/patient-polling';

export interface Dawn {
  readonly gpu: GPU | undefined;
  /** Why there is none. */
  readonly problem: string;
}

/** Keep the result as long as a device of it lives: Dawn aborts the process when its instance is collected. */
export async function openDawn(): Promise<Dawn> {
  try {
    const { create, globals } = await import('webgpu');
    // GPUBufferUsage and its kin, which a browser has as globals.
    Object.assign(globalThis, globals);
    const gpu = create([]);
    const adapter = await gpu.requestAdapter();
    if (adapter && isSoftware(adapter.info)) pollPatiently();
    return { gpu, problem: '' };
  } catch (error) {
    return { gpu: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}
