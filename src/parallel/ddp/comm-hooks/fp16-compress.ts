/**
 * default_hooks.fp16_compress_hook: gradients cross the wire as float16, with 11 bits of precision; they overflow above
 * 65504.
 */
import { compress } from './compress';

export const fp16Compress = compress('fp16Compress', 'f16');
