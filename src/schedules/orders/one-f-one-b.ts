/**
 * 1F1B: as many forward passes as there are stages from this one on, then alternately one backward and one forward
 * pass, so no rank keeps more activations than that. Source: the loop of Schedule1F1B. (torch 2.13's printed
 * pipeline_order is one micro-batch too high on the last rank; the loop is what runs.)
 */
import { action } from '../cell';
import { count, type OrderMaker } from './order-maker';

export const oneFOneB: OrderMaker = ({ ranks, microBatches }, rank) => {
  const warmUp = Math.min(microBatches, ranks - rank);
  const steady = count(microBatches - warmUp).flatMap((m) => [action(rank, 'B', m), action(rank, 'F', m + warmUp)]);
  const left = count(warmUp).map((i) => action(rank, 'B', microBatches - warmUp + i));
  return [...count(warmUp).map((m) => action(rank, 'F', m)), ...steady, ...left];
};
