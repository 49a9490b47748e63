/**
 * WebGPU's flag values, fixed by its specification. Written out because Node lacks these globals, and the executor must
 * not depend on a caller to install them.
 */
export const MAP_READ = 0x0001;
export const COPY_SRC = 0x0004;
export const COPY_DST = 0x0008;
export const UNIFORM = 0x0040;
export const STORAGE = 0x0080;
export const QUERY_RESOLVE = 0x0200;
/** GPUMapMode.READ */
export const MODE_READ = 0x0001;
/** GPUShaderStage.COMPUTE */
export const STAGE_COMPUTE = 0x0004;
