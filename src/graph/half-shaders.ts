/** The kernels of mixed precision, by path. shader-sources loads them for runs with mixed precision. */
export const HALF_SHADERS = import.meta.glob<string>('../../shaders/{precision,scaler}/*.wgsl', {
  query: '?raw',
  import: 'default',
  eager: true,
});
