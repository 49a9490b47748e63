/** The kernels of mixed precision, by path. shader-sources loads them for runs with mixed precision. */
export const HALF_SHADERS = import.meta.glob<string>('../../shaders/{precision,scaler}/*.wgsl', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Functions of these kernels, written with WGSL's f16, by path: see runtime/webgpu/float16. */
export const F16_FUNCTIONS = import.meta.glob<string>('../../shaders/helpers/f16/*.wgsl', {
  query: '?raw',
  import: 'default',
  eager: true,
});
