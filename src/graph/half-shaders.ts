/** The kernels of mixed precision, by path. Fetched by shader-sources for a run that has it. */
export const HALF_SHADERS = import.meta.glob<string>('../../shaders/{precision,scaler}/*.wgsl', {
  query: '?raw',
  import: 'default',
  eager: true,
});
