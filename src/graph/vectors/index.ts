/** The operators of a model's graph that have WebAssembly kernels. Products reach these kernels through CpuScratch. */
import { base64 } from '../../../assembly/index.ts?wasm';
import { ATTENTION_VECTORS } from './attention';
import { CONV_VECTORS } from './conv';
import { EMBEDDING_VECTORS } from './embedding';
import { compile } from './kernels';
import { LINEAR_VECTORS } from './linear';
import { LOSS_VECTORS } from './loss';
import { NORM_VECTORS } from './norm';
import { POINTWISE_VECTORS } from './pointwise';
import type { VectorOps } from './vector-op';

export const GRAPH_VECTORS: VectorOps = new Map([
  ...POINTWISE_VECTORS,
  ...LINEAR_VECTORS,
  ...ATTENTION_VECTORS,
  ...EMBEDDING_VECTORS,
  ...NORM_VECTORS,
  ...CONV_VECTORS,
  ...LOSS_VECTORS,
]);

/** The kernels over memory of one thread. */
export const KERNELS = compile(base64);

export { Vectors } from './vectors';
