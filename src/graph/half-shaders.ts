/** The kernels of mixed precision. Fetched by shader-sources for a run that has it. */
import { byId } from './shader-sources';

export const HALF_SHADERS = byId(
  import.meta.glob<string>('../../shaders/{precision,scaler}/*.wgsl', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);
