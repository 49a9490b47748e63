/** The kernels with fused multiply-add over memory that threads share. */
import { base64 } from '../../../assembly/index.ts?wasm-shared-fused';
import { compile } from './kernels';

export const SHARED_FUSED_KERNELS = compile(base64);
