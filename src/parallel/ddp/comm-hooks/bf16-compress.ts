/**
 * default_hooks.bf16_compress_hook: gradients cross the wire as bfloat16, with the range of float32 and 8 bits of
 * precision.
 */
import { compress } from './compress';

export const bf16Compress = compress('bf16Compress', 'bf16');
