/**
 * `lockstep schedule`: prints what each rank of a pipeline computes when, with the bubble and the activations that each
 * rank keeps, or the schedule as torch's CSV. Runs nothing. A schedule of the user's own is checked first.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import { checkSchedule } from '../schedules/check-schedule';
import { recognise } from '../schedules/recognise';
import { makeSchedule, type Schedule } from '../schedules/schedule';
import { fromCsv, toCsv } from '../schedules/schedule-text';
import { fileReason } from './file-error';
import { readInput } from './read-run';
import { scheduleText } from './schedule-table';
import type { ScheduleOptions } from './schedule-usage';

/** The text for standard output. Throws if the file or the schedule is refused. */
export async function schedule({ source, csv, comms }: ScheduleOptions): Promise<string> {
  const made = 'file' in source ? await readSchedule(source.file) : makeSchedule(source);
  checkSchedule(made);
  if (csv) return toCsv(made, { comms });
  return scheduleText(made, titleOf(made, source));
}

function titleOf({ name }: Schedule, source: ScheduleOptions['source']): string {
  if (!('file' in source)) return source.name;
  const file = source.file === '-' ? 'standard input' : path.basename(source.file);
  return name === undefined ? `${file}, a schedule of your own` : `${file}, which is ${name}`;
}

async function readSchedule(file: string): Promise<Schedule> {
  const own = fromCsv(await readText(file));
  return { ...own, name: recognise(own) };
}

async function readText(file: string): Promise<string> {
  try {
    const bytes = file === '-' ? await readInput() : await readFile(file);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const hint = '--file takes the path of a CSV with one row per rank, or "-" for standard input.';
    throw new LockstepError('data', `cannot read the schedule ${file}: ${fileReason(error)}`, hint, { file });
  }
}
