/**
 * Sentences about why a pipeline rank is idle, and names of cells and rows. Pure; used by the pipeline picture, its
 * table and the schedule editor.
 */
import type { PipelineAction } from '../../protocol/pipeline';
import type { Schedule } from '../../schedules/schedule';
import type { ScheduleGap } from '../../schedules/timing';
import { capital } from '../../trace/capital';
import { formatTime } from '../draw/format';
import type { ClockUnit, Picture, PictureCell } from './picture';

/** '4.5 units', '12.3 µs'. */
export const timeText = (time: number, unit: ClockUnit): string => {
  if (unit === 'us') return formatTime(time);
  const rounded = Math.round(time * 100) / 100;
  return `${rounded} ${rounded === 1 ? 'unit' : 'units'}`;
};

/** '27.3 %' */
export const percentText = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** A point on the axis: '8.5', '12.3 µs'. */
const momentText = (time: number, unit: ClockUnit): string =>
  unit === 'us' ? formatTime(time) : String(Math.round(time * 100) / 100);

/** 'stage 1' if each rank has one stage, else 'rank 1'. */
export const rowName = ({ stages, ranks }: Pick<Schedule, 'stages' | 'ranks'>, rank: number): string =>
  `${stages === ranks ? 'stage' : 'rank'} ${rank}`;

const KIND_WORDS = {
  F: 'forward pass',
  B: 'backward pass',
  I: 'input half of the backward pass',
  W: 'weight half of the backward pass',
} as const satisfies Readonly<Record<PipelineAction['kind'], string>>;

/** 'forward pass of micro-batch 3 in stage 1' */
export const actionWords = ({ kind, stage, microBatch }: PipelineAction): string =>
  `${KIND_WORDS[kind]} of micro-batch ${microBatch} in stage ${stage}`;

/** Words for the result that the waiting action needs. */
const resultWords = ({ kind, microBatch }: PipelineAction): string =>
  kind === 'F' ? `the activations of micro-batch ${microBatch}` : `the gradient of micro-batch ${microBatch}`;

/** 'Stage 1 is idle for 4.5 units. It waits for the gradient of micro-batch 0, which stage 2 computes until 8.5.' */
export function whyBubble(gap: ScheduleGap, picture: Picture, schedule: Schedule): string {
  const { unit } = picture;
  const length = gap.end - gap.start;
  const name = rowName(schedule, gap.rank);
  const idle = `${capital(name)} is idle for ${timeText(length, unit)}.`;
  if (!gap.next) return `${idle} It has run all its actions; the step ends when the last rank has finished.`;
  const needed = gap.waitsFor && picture.cellOf(gap.waitsFor);
  if (!gap.waitsFor || !needed) return `${idle} ${otherCause(gap, picture)}`;
  const { stage } = gap.waitsFor;
  const by = schedule.stages === schedule.ranks ? `stage ${stage}` : `stage ${stage} on rank ${needed.rank}`;
  const what = resultWords(gap.waitsFor);
  const tense = needed.end > gap.start ? `computes until ${momentText(needed.end, unit)}` : 'computed earlier';
  const late = gap.end - needed.end;
  const message =
    unit === 'us' && late > 1e-3 * length && needed.rank !== gap.rank
      ? `; the message then takes ${timeText(gap.end - Math.max(needed.end, gap.start), unit)}`
      : '';
  return `${idle} It waits for ${what}, which ${by} ${tense}${message}.`;
}

function otherCause({ start, next }: ScheduleGap, { from }: Picture): string {
  if (start === from && next?.kind === 'F' && next.stage === 0) return 'The batch is still being loaded.';
  return 'All inputs are there, but another device is using the processor that the devices share.';
}

/** 'Forward pass of micro-batch 3 in stage 1: from 8 to 9 units.' */
export function cellWords({ action, start, end }: PictureCell, { unit }: Picture): string {
  return `${capital(actionWords(action))}: from ${momentText(start, unit)} to ${timeText(end, unit)}.`;
}
