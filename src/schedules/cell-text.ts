/**
 * A cell in torch's own text, printed and parsed: 2F0, 3W1, (0F3;3B1)OVERLAP_F_B. schedule-text.ts prints and parses
 * whole schedules.
 */
import { COMPUTATIONS, type PipelineAction } from '../protocol/pipeline';
import { action, isPair, type ScheduleCell } from './cell';

export const printAction = ({ stage, kind, microBatch }: PipelineAction): string => `${stage}${kind}${microBatch}`;

export const printCell = (cell: ScheduleCell): string =>
  isPair(cell) ? `(${cell.pair.map(printAction).join(';')})OVERLAP_F_B` : printAction(cell);

/** Undefined if the text is not a computation. Lower case and surrounding spaces are accepted. */
export function parseCell(text: string): ScheduleCell | undefined {
  const plain = text.trim().toUpperCase();
  const [, first, second] = /^\(([^;]*);([^;]*)\)OVERLAP_F_B$/.exec(plain) ?? [];
  if (first === undefined || second === undefined) return parseAction(plain);
  const [forward, backward] = [parseAction(first.trim()), parseAction(second.trim())];
  return forward && backward && { pair: [forward, backward] };
}

function parseAction(text: string): PipelineAction | undefined {
  const [, stage, letter, microBatch] = /^(\d{1,6})([A-Z])(\d{1,6})$/.exec(text) ?? [];
  const kind = COMPUTATIONS.find((computation) => computation === letter);
  return kind === undefined ? undefined : action(Number(stage), kind, Number(microBatch));
}
