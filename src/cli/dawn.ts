/**
 * WebGPU in Node: Dawn's bindings from the npm package `webgpu`. The entry point has put a Vulkan driver into the
 * environment where one was needed. Not a fallback: where Dawn cannot be loaded it says so, and the session decides.
 */
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
    return { gpu: create([]), problem: '' };
  } catch (error) {
    return { gpu: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}
