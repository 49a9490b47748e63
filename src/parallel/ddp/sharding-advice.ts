/**
 * Loads mode sharded's advice if a model may not fit into memory. Not in rare-parts.ts, because mode sharded itself
 * needs that file. Called by axes/.
 */
import { Part } from '../../base/part';
import type { Config } from '../../protocol/config';
import { parameterCount } from '../../shapes/parameters';

export const SHARDING_ADVICE = new Part('The advice to shard', () => import('../sharded/advice'));
if (!globalThis.LOCKSTEP_SITE) await SHARDING_ADVICE.load();

/** A parameter, its gradient, and up to two states of the optimiser. */
const MOST_BYTES_OF_PARAMETER = 16;

/** Whether parameters, gradients and states fill so much of the memory that activations and buckets may not fit. */
export function mayNotFit({ model, memoryBudgetMb }: Pick<Config, 'model' | 'memoryBudgetMb'>): boolean {
  const numbers = model.layers.reduce((sum, layer) => sum + parameterCount(layer), 0);
  return numbers * MOST_BYTES_OF_PARAMETER > (memoryBudgetMb * (1 << 20)) / 4;
}
