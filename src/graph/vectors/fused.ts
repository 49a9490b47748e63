/** The kernels with fused multiply-add (relaxed SIMD): separate modules, loaded for runs that ask for them. */
import { base64 } from '../../../assembly/index.ts?wasm-fused';
import { compile } from './kernels';

/** Undefined if the machine has no relaxed SIMD. */
export const FUSED_KERNELS = compile(base64);
