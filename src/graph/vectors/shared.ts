/** The kernels over memory that threads share: another module, which comes where a run has several threads. */
import { base64 } from '../../../assembly/index.ts?wasm-shared';
import { compile } from './kernels';

export const SHARED_KERNELS = compile(base64);
