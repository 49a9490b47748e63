/** The half-precision type that layers compute in, in the words of torch's own short names; undefined: float32. */
import type { Config } from './config';

export function halfOf(precision: Config['precision']): 'bf16' | 'f16' | undefined {
  if (precision === 'autocast-bf16') return 'bf16';
  return precision === 'autocast-fp16' ? 'f16' : undefined;
}
