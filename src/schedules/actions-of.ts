/** A rank's order without pairs: its computations one after the other, for code that ignores overlap. */
import type { PipelineAction } from '../protocol/pipeline';
import { partsOf, type ScheduleCell } from './cell';

export const actionsOf = (order: readonly ScheduleCell[]): readonly PipelineAction[] => order.flatMap(partsOf);

/** Whether stages compute the two halves of a backward pass, I and W, at different times. */
export const halvesBackward = ({ orders }: { readonly orders: readonly (readonly ScheduleCell[])[] }): boolean =>
  orders.some((order) => actionsOf(order).some(({ kind }) => kind === 'W'));
