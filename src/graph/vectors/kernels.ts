/**
 * The kernels that assembly/ exports, and their instance over one memory. assembly/ documents each kernel's arguments:
 * addresses in bytes, sizes, steps in floats, factors; a flag is 0 or 1.
 */
export type KernelName =
  | 'adam'
  | 'add'
  | 'addColumns'
  | 'addParts'
  | 'addRows'
  | 'allFinite'
  | 'attend'
  | 'attendBackward'
  | 'attentionScratch'
  | 'batchNorm'
  | 'batchNormGradInput'
  | 'correlateImages'
  | 'crossEntropy'
  | 'crossEntropyGrad'
  | 'fold'
  | 'fuses'
  | 'gelu'
  | 'geluGrad'
  | 'geluTanh'
  | 'geluTanhGrad'
  | 'gradSums'
  | 'layerNorm'
  | 'layerNormGradInput'
  | 'layerNormGradParams'
  | 'maxPool2x2'
  | 'maxPoolGrad'
  | 'moments'
  | 'mul'
  | 'pickRows'
  | 'product'
  | 'relu'
  | 'reluGrad'
  | 'scale'
  | 'sgd'
  | 'sgdMomentum'
  | 'sigmoid'
  | 'sigmoidGrad'
  | 'silu'
  | 'siluGrad'
  | 'sumOfSquares'
  | 'tanh'
  | 'tanhGrad'
  | 'weightGradParts';

export type Kernels = Readonly<Record<KernelName, (...numbers: readonly number[]) => number>>;

/** Undefined if the machine's WebAssembly lacks these vectors, or the page may not compile WebAssembly. */
export function compile(base64: string): WebAssembly.Module | undefined {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/**
 * Runs independent calls. `scratch`: address passed as the last number of each call to a kernel with scratch memory.
 */
export function runAll(
  run: (...numbers: readonly number[]) => number,
  calls: readonly (readonly number[])[],
  scratch: number | undefined,
): void {
  for (const call of calls)
    if (scratch === undefined) run(...call);
    else run(...call, scratch);
}

export const instantiate = (module: WebAssembly.Module, memory: WebAssembly.Memory): Kernels =>
  new WebAssembly.Instance(module, { env: { memory, log: Math.log } }).exports as unknown as Kernels;
