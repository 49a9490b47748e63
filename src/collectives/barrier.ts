/**
 * A barrier is an all-reduce of one element, as NCCL's is: its result needs every rank, so nobody passes before the
 * last has come. Called by the algorithms.
 */
import { bytesOf } from '../tensor/shape';
import { suffixOf } from './local-steps';
import type { Recipe } from './recipe';

/** Its one element. */
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
