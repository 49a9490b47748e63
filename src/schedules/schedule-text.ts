/**
 * A schedule as text in torch's CSV format: one row per rank, one cell per action. Written with or without the sends
 * and receives, which follow from the computations; read without them.
 */
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';
import { partsOf, type ScheduleCell } from './cell';
import { parseCell, printCell } from './cell-text';
import { isCall, isLoweredText, printLowered } from './lowered-cell';
import { lower } from './lowering';
import { count } from './orders/order-maker';
import { placedOn } from './placement';
import type { Schedule } from './schedule';
import { MOST_FORWARDS } from './size-rules';

export { parseCell, printCell } from './cell-text';

/**
 * One row per rank, each with a line end. With `comms`: as torch executes it, with sends and receives (lowering.ts),
 * but without FSDP's calls.
 */
export function toCsv(schedule: Schedule, { comms = false }: { readonly comms?: boolean } = {}): string {
  const rows = comms
    ? lower(schedule).map((order) => order.filter((cell) => !isCall(cell)).map(printLowered))
    : schedule.orders.map((order) => order.map(printCell));
  return rows.map((row) => `${row.join(',')}\n`).join('');
}

/** Number of cells of the largest schedule with its messages and FSDP's calls. */
const MOST_CELLS = 8 * MOST_FORWARDS;

/**
 * The schedule that a CSV describes: one row per rank. The numbers of ranks, stages and micro-batches are inferred, and
 * a stage is on the rank that has most of its actions. Idle slots (empty cells) and torch's messages and FSDP calls are
 * left out. Throws a LockstepError of code 'schedule' with row and column if a cell cannot be read; check-schedule.ts
 * decides whether the schedule can run.
 */
export function fromCsv(text: string): Schedule {
  const rows = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  while (rows.length > 0 && rows.at(-1)?.trim() === '') rows.pop();
  if (rows.length === 0) throw refused('it has no rows; it needs one row per rank', {});
  let cells = 0;
  const orders = rows.map((row, index) => {
    const texts = row.split(',');
    cells += texts.length;
    if (cells > MOST_CELLS) throw refused(`it has more than ${MOST_CELLS.toLocaleString('en')} cells`, {});
    const order = texts.flatMap((cell, column) => readCell(cell, index + 1, column + 1));
    if (order.length === 0)
      throw refused(`row ${index + 1} has no computation: every rank needs at least one stage`, { row: index + 1 });
    return order;
  });
  return ofOrders(orders);
}

/**
 * The cell, or nothing for an idle slot and for cells that follow from the computations. Row and column count from 1.
 */
function readCell(text: string, row: number, column: number): readonly ScheduleCell[] {
  const plain = text
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim();
  if (plain === '' || isLoweredText(plain.toUpperCase().replaceAll(' ', ''))) return [];
  const cell = parseCell(plain);
  if (cell) return [cell];
  const where = { row, column, text: brief(plain) };
  if (!plain.startsWith('(') && plain.split(/[;\s|]+/).some((piece) => piece !== plain && parseCell(piece)))
    throw refused(`row ${row}, column ${column}: "${brief(plain)}" is several cells; separate cells by commas`, where);
  throw refused(`row ${row}, column ${column}: "${brief(plain)}" is not an action of a schedule`, where);
}

function ofOrders(orders: readonly (readonly ScheduleCell[])[]): Schedule {
  let [stages, microBatches] = [0, 0];
  for (const { stage, microBatch } of orders.flatMap((order) => order.flatMap(partsOf))) {
    stages = Math.max(stages, stage + 1);
    microBatches = Math.max(microBatches, microBatch + 1);
  }
  if (stages * microBatches > MOST_FORWARDS) {
    const most = MOST_FORWARDS.toLocaleString('en');
    throw refused(`${stages} stages times ${microBatches} micro-batches exceed ${most}`, {
      stages,
      microBatches,
    });
  }
  const ranks = orders.length;
  return { name: undefined, ranks, stages, microBatches, rankOfStage: placesOfStages(orders, stages), orders };
}

/** The rank with most of a stage's actions; a stage without actions is placed as in a loop. */
function placesOfStages(orders: readonly (readonly ScheduleCell[])[], stages: number): readonly number[] {
  const most = count(stages).map((stage) => ({ rank: placedOn('loop', stage, orders.length), actions: 0 }));
  for (const [rank, order] of orders.entries()) {
    const actions = new Map<number, number>();
    for (const { stage } of order.flatMap(partsOf)) actions.set(stage, (actions.get(stage) ?? 0) + 1);
    for (const [stage, number] of actions) {
      if (number > (most[stage]?.actions ?? 0)) most[stage] = { rank, actions: number };
    }
  }
  return most.map(({ rank }) => rank);
}

const refused = (what: string, details: Readonly<Record<string, unknown>>): LockstepError =>
  new LockstepError(
    'schedule',
    `the CSV of the schedule cannot be read: ${what}`,
    'Each row is a rank. Each cell is a stage, then F, B, I or W, then a micro-batch: 0F0, 2B1, 3I0, 3W0 or (0F3;3B1)OVERLAP_F_B.',
    details,
  );
