/** The kernels with fused multiply-add (relaxed SIMD): other modules, which come where a run asks for them. */
import { base64 } from '../../../assembly/index.ts?wasm-fused';
import { compile } from './kernels';

/** Undefined where the machine has no relaxed SIMD. */
export const FUSED_KERNELS = compile(base64);
