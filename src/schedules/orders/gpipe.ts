/** GPipe: all forwards, then all backwards. In torch 2.13 the backwards ascend, too. Source: ScheduleGPipe. */
import { action } from '../cell';
import { count, type OrderMaker } from './order-maker';

export const gpipe: OrderMaker = ({ microBatches }, rank) => [
  ...count(microBatches).map((m) => action(rank, 'F', m)),
  ...count(microBatches).map((m) => action(rank, 'B', m)),
];
