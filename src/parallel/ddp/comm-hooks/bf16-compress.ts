/**
 * default_hooks.bf16_compress_hook: gradients cross the wire as bfloat16, with the range of float32 and 8 bits of
 * precision.
 */
import { reduceHalves } from './reduce-halves';

export const bf16Compress = reduceHalves({ name: 'bf16Compress', format: 'bf16' });
