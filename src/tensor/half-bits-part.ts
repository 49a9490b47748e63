/** The bits of float16 and bfloat16, loaded with the operators of half precision. */
import { Part } from '../base/part';

export const HALF_BITS = new Part('The bits of half precision', () => import('./half-bits'));
if (!globalThis.LOCKSTEP_SITE) await HALF_BITS.load();
