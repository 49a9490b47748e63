/** Every file of this folder makes the order of one rank, for sizes that size-rules.ts has accepted. */
import type { Computation, PipelineAction } from '../../protocol/pipeline';
import { action, type ScheduleCell } from '../cell';

export interface ScheduleShape {
  readonly ranks: number;
  readonly stagesPerRank: number;
  readonly microBatches: number;
}

export type OrderMaker = (shape: ScheduleShape, rank: number) => readonly ScheduleCell[];

/** [0, 1, ..., length-1]; empty where the length is not above 0. */
export const count = (length: number): readonly number[] => Array.from({ length: Math.max(0, length) }, (_, i) => i);

/** For each kind, a function that returns the stage's next action of this kind, starting with micro-batch 0. */
export const stageActions = (stage: number): Readonly<Record<Computation, () => PipelineAction>> => ({
  F: counter(stage, 'F'),
  B: counter(stage, 'B'),
  I: counter(stage, 'I'),
  W: counter(stage, 'W'),
});

function counter(stage: number, kind: Computation): () => PipelineAction {
  let next = 0;
  return () => action(stage, kind, next++);
}
