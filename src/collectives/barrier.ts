/**
 * A barrier is an all-reduce of one element, as in NCCL: its result needs every rank, so no rank passes before the last
 * rank has arrived. Called by the algorithms.
 */
import { bytesOf } from '../tensor/shape';
import { suffixOf } from './local-steps';
import type { Recipe } from './recipe';

/** Type of the one element. */
const DTYPE = 'i32';
const one = () => ({ bytes: bytesOf(DTYPE), dtype: DTYPE }) as const;

export function barrierFrom(allReduce: Recipe): Recipe {
  return {
    emit(call, run) {
      const token = `barrier${suffixOf(call)}`;
      for (const lane of call.builder.lanesOf(call.group))
        lane.buffer({ name: token, shape: [1], dtype: DTYPE, category: 'communication', persistent: false });
      allReduce.emit({ ...call, input: token, length: 1 }, run);
    },
    cost: (request) => allReduce.cost({ ...request, ...one() }),
    timeUs: (request, link, across) => allReduce.timeUs({ ...request, ...one() }, link, across),
  };
}
