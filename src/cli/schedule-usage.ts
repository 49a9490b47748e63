/** The options of `lockstep schedule`: a schedule by torch's name and a size, or the user's own. Read by usage.ts. */
import { brief } from '../base/brief';
import { nearNames } from '../base/near-name';
import { SCHEDULE_NAMES, type ScheduleName } from '../protocol/pipeline';
import { type ScheduleSize, stagesPerRankOf } from '../schedules/schedule';
import { HELP, type OptionRow, textOf, usageError, type Values, wholeOf } from './option-values';

/** The limits of a schedule that is readable in a terminal. */
const MOST = { ranks: 64, stagesPerRank: 16, microBatches: 1024 };
const USUAL = { ranks: 4, microBatches: 8 };

export const SCHEDULE_OPTIONS: readonly OptionRow[] = [
  { name: 'name', value: 'NAME', text: SCHEDULE_NAMES.join('|') },
  { name: 'ranks', value: 'N', text: `ranks of the pipeline, 1 to ${MOST.ranks} (${USUAL.ranks})` },
  {
    name: 'microbatches',
    value: 'N',
    text: `number of micro-batches per batch, 1 to ${MOST.microBatches} (${USUAL.microBatches})`,
  },
  {
    name: 'stages-per-rank',
    value: 'N',
    text: `stages on each rank, 1 to ${MOST.stagesPerRank} (1 for GPipe and 1F1B, 2 for the others)`,
  },
  {
    name: 'file',
    value: 'FILE',
    text: 'read a schedule in torch\'s CSV instead of the options above; "-" reads standard input',
  },
  { name: 'csv', text: "print the computations as torch's CSV, one row per rank, and nothing else" },
  { name: 'comms', text: "with --csv: also print sends and receives, where torch's CSV has them" },
  HELP,
];

export interface ScheduleOptions {
  /** A named schedule with its size, or the path of a CSV. */
  readonly source: ScheduleSize | { readonly file: string };
  readonly csv: boolean;
  readonly comms: boolean;
}

export function scheduleOptions(values: Values): ScheduleOptions {
  const [csv, comms] = [values['csv'] === true, values['comms'] === true];
  if (comms && !csv) throw usageError('--comms needs --csv');
  return { source: sourceOf(values), csv, comms };
}

function sourceOf(values: Values): ScheduleOptions['source'] {
  const [name, file] = [textOf(values, 'name'), textOf(values, 'file')];
  if (file !== undefined) {
    const other = ['name', 'ranks', 'microbatches', 'stages-per-rank'].find(
      (option) => textOf(values, option) !== undefined,
    );
    if (other !== undefined) throw usageError(`--file gives the whole schedule; leave --${other} out`);
    return { file };
  }
  if (name === undefined) throw usageError('schedule needs --name NAME, or --file FILE for a schedule of your own');
  const known = scheduleNamed(name);
  return {
    name: known,
    ranks: wholeOf(values, 'ranks', 1, MOST.ranks) ?? USUAL.ranks,
    microBatches: wholeOf(values, 'microbatches', 1, MOST.microBatches) ?? USUAL.microBatches,
    stagesPerRank: wholeOf(values, 'stages-per-rank', 1, MOST.stagesPerRank) ?? stagesPerRankOf(known, undefined),
  };
}

/** Ignores upper and lower case, as torch's get_schedule_class does. */
function scheduleNamed(text: string): ScheduleName {
  const found = SCHEDULE_NAMES.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const near = nearNames(text, SCHEDULE_NAMES);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `known are ${SCHEDULE_NAMES.join(', ')}`;
  throw usageError(`there is no schedule "${brief(text)}"; ${hint}`);
}
