/**
 * GPipe: all forward passes, then all backward passes, in torch 2.13 both in ascending order. Source: ScheduleGPipe.
 */
import { action } from '../cell';
import { count, type OrderMaker } from './order-maker';

export const gpipe: OrderMaker = ({ microBatches }, rank) => [
  ...count(microBatches).map((m) => action(rank, 'F', m)),
  ...count(microBatches).map((m) => action(rank, 'B', m)),
];
