/** No hook, and a model in bfloat16: what DDP does by itself with buckets in the type of the gradients. */
import { reduceHalves } from './reduce-halves';

export const bfloat16Model = reduceHalves({ name: 'allreduce', format: 'bf16', divides: 'reducer' });
