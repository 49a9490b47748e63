/**
 * A rank's order without pairs: what it computes, one after the other. For readers to whom overlap makes no difference.
 */
import type { PipelineAction } from '../protocol/pipeline';
import { partsOf, type ScheduleCell } from './cell';

export const actionsOf = (order: readonly ScheduleCell[]): readonly PipelineAction[] => order.flatMap(partsOf);
