/** An element of a rank's order: an action, or a pair of actions that torch may run overlapped. */
import type { Computation, PipelineAction } from '../protocol/pipeline';

/** DualPipeV's (0F3;3B1)OVERLAP_F_B: a forward and a backward of different stages, neither of which needs the other. */
export interface ActionPair {
  readonly pair: readonly [PipelineAction, PipelineAction];
}

export type ScheduleCell = PipelineAction | ActionPair;

export const isPair = (cell: ScheduleCell): cell is ActionPair => 'pair' in cell;

/** The action, or both of a pair in the order in which torch runs them. */
export const partsOf = (cell: ScheduleCell): readonly PipelineAction[] => (isPair(cell) ? cell.pair : [cell]);

export const action = (stage: number, kind: Computation, microBatch: number): PipelineAction => ({
  stage,
  kind,
  microBatch,
});

/**
 * A key that is equal if stage, kind and micro-batch are, for stages and micro-batches up to some 100,000. Below 2^31
 * for usual numbers of stages, because a Map finds small integers many times faster than large ones.
 */
export const keyOf = ({ stage, kind, microBatch }: PipelineAction): number =>
  (stage * 2 ** 17 + microBatch) * 4 + KIND_NUMBERS[kind];

const KIND_NUMBERS: Readonly<Record<Computation, number>> = { F: 0, B: 1, I: 2, W: 3 };

export const sameCell = (a: ScheduleCell, b: ScheduleCell): boolean => {
  const [first, second] = [partsOf(a), partsOf(b)];
  return first.length === second.length && first.every((part, i) => keyOf(part) === keyOf(second[i] ?? part));
};
