/** The kernels over memory that threads share: a separate module, loaded for runs with several threads. */
import { base64 } from '../../../assembly/index.ts?wasm-shared';
import { compile } from './kernels';

export const SHARED_KERNELS = compile(base64);
