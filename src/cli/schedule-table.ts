/**
 * The text of `lockstep schedule`: every rank's cells over time, and below them makespan, bubble and peaks, both
 * counted and by formula. Pure; schedule.ts reads and prints.
 */
import { printAction } from '../schedules/cell-text';
import { type ClosedForms, closedFormsOf } from '../schedules/closed-form';
import type { Schedule } from '../schedules/schedule';
import { type TimedCell, type Timing, timingOf } from '../schedules/timing';

/** The schedule's title. */
export function scheduleText(schedule: Schedule, title: string): string {
  const timing = timingOf(schedule);
  return [
    `${title}: ${sizeWords(schedule)}`,
    '',
    ...chartLines(schedule, timing),
    '',
    ...figureLines(schedule, timing),
    '',
  ].join('\n');
}

const several = (number: number, what: string, plural = `${what}s`): string =>
  `${number} ${number === 1 ? what : plural}`;

function sizeWords({ ranks, stages, microBatches }: Schedule): string {
  const batches = several(microBatches, 'micro-batch', 'micro-batches');
  return `${several(ranks, 'rank')}, ${several(stages, 'stage')}, ${batches}`;
}

/** A ruler and one row per rank; a unit of time is as wide as the longest cell. */
function chartLines({ ranks, rankOfStage }: Schedule, { cells, makespan }: Timing): readonly string[] {
  const width = cells.reduce((most, { action }) => Math.max(most, printAction(action).length), 0) + 1;
  const label = (rank: number): string => {
    const own = rankOfStage.flatMap((home, stage) => (home === rank ? [stage] : []));
    return `rank ${rank} (${own.length === 1 ? 'stage' : 'stages'} ${own.join(', ')})`;
  };
  const labels = Array.from({ length: ranks }, (_, rank) => label(rank));
  const margin = Math.max(...labels.map(({ length }) => length)) + 2;
  const ticks = Array.from({ length: Math.ceil(makespan / TICK) }, (_, i) => String(i * TICK).padEnd(TICK * width));
  const rows = labels.map((text, rank) => {
    const own = cells.filter((cell) => cell.rank === rank);
    return `${text.padEnd(margin)}${rowOf(own, makespan, width)}`.trimEnd();
  });
  return [`${'time'.padEnd(margin)}${ticks.join('')}`.trimEnd(), ...rows];
}

const TICK = 5;

/** '0F0 0B0----- . .': a cell of several units is filled with dashes, an idle unit is a dot, '+' joins a pair. */
function rowOf(cells: readonly TimedCell[], makespan: number, width: number): string {
  let [row, now] = ['', 0];
  const idleUntil = (time: number): void => {
    row += '.'.padEnd(width).repeat(time - now);
    now = time;
  };
  for (const [i, { action, start, end, paired, index }] of cells.entries()) {
    idleUntil(start);
    const next = cells[i + 1];
    const joined = paired && next?.index === index && next.start === end;
    row += printAction(action).padEnd((end - start) * width - 1, end - start > 1 ? '-' : ' ') + (joined ? '+' : ' ');
    now = end;
  }
  idleUntil(makespan);
  return row;
}

const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

function figureLines(schedule: Schedule, timing: Timing): readonly string[] {
  const { ranks, stages, microBatches, name } = schedule;
  const size = name && { name, ranks, stagesPerRank: stages / ranks, microBatches };
  const forms = size && closedFormsOf(size);
  const together = timingOf(schedule, { pairs: 'together' });
  const hasPairs = timing.cells.some(({ paired }) => paired);
  const idle = timing.gaps.reduce((sum, { start, end }) => sum + end - start, 0);
  const both = `makespan ${together.makespan}, bubble ${percent(together.bubble)}`;
  const rows = [
    ['', 'counted', 'by formula'],
    ['makespan', String(timing.makespan), formulaText(forms?.makespan, String)],
    [
      'bubble',
      `${percent(timing.bubble)} (${idle} of ${ranks * timing.makespan})`,
      formulaText(forms?.bubble, percent),
    ],
    ['peak of live activations, by rank', timing.peakLive.join(' '), forms ? peakText(forms) : ''],
  ];
  return [
    'In units of time: a forward pass takes 1, a backward pass 2 (I and W 1 each), a message none.',
    ...(hasPairs
      ? ['The two parts of a pair run one after the other, as in torch; each part starts when its input is there.']
      : []),
    ...(hasPairs ? [`If a pair starts only when the inputs of both parts are there: ${both}.`] : []),
    '',
    ...tableLines(forms ? rows : rows.map((row) => row.slice(0, 2))),
    ...(forms ? ['', legend(schedule)] : []),
  ];
}

function legend({ ranks, stages, microBatches }: Schedule): string {
  const stagesPerRank = several(stages / ranks, 'stage');
  return `P = ${ranks} ranks, L = ${stagesPerRank} per rank, M = ${microBatches} micro-batches, F = 1, B = 2, r = the rank`;
}

const formulaText = (form: ClosedForms['makespan'], print: (value: number) => string): string =>
  form ? `${form.formula} = ${print(form.value)}` : 'none is known';

const peakText = ({ peakLive }: ClosedForms): string => `${peakLive.formula}: ${peakLive.values.join(' ')}`;

function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)) + 3);
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('')
      .trimEnd(),
  );
}
