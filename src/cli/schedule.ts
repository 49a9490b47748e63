/**
 * `lockstep schedule`: who computes what when in a pipeline, with its bubble and the activations that each rank keeps,
 * or the same as torch's CSV. Runs nothing. One's own schedule is checked first.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LockstepError } from '../base/errors';
import { checkSchedule } from '../schedules/check';
import { recognise } from '../schedules/recognise';
import { makeSchedule, type Schedule } from '../schedules/schedule';
import { fromCsv, toCsv } from '../schedules/text';
import { fileReason } from './file-error';
import { readInput } from './read-run';
import { scheduleText } from './schedule-table';
import type { ScheduleOptions } from './schedule-usage';

/** What goes to standard output. Throws where the file or the schedule is refused. */
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
