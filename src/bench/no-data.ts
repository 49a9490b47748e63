/** The data of a benchmark that loads none. Called by bench-collective.ts and bench-kernels.ts. */
export const NO_DATA = {
  inputs: new Float32Array(0),
  inputWidth: 1,
  inputType: 'f32',
  targets: new Float32Array(0),
  targetWidth: 1,
  targetType: 'f32',
} as const;
