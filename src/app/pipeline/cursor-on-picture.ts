/**
 * The page's cursor on a pipeline picture: its time, and the cells in progress. Pure; made once per picture, called in
 * every frame.
 */
import type { Clock, StepTrace } from '../../protocol/trace';
import { hasMoments, momentAt, type Position } from '../../trace/moments/moment';
import { createWalkTime } from '../../trace/walk-time';
import type { Picture, PictureCell } from './picture';

export interface CursorOnPicture {
  readonly time: number;
  readonly lit: ReadonlySet<PictureCell>;
}

/**
 * `ran`: the picture of the trace. `shown` may be the planned schedule's picture, with the same cells at other times;
 * on it, the cursor is at the start of the cell that began last.
 */
export function createCursorOnPicture(
  trace: StepTrace,
  clock: Clock,
  ran: Picture,
  shown: Picture,
): (position: Position) => CursorOnPicture {
  const walk = createWalkTime(trace, clock);
  const cells = ran.rows.flatMap((row) => row.cells);
  const cellShown = (cell: PictureCell): PictureCell => shown.cellOf(cell.action) ?? cell;
  return (position) => {
    const lit = new Set(underWay(trace, cells, position).map(cellShown));
    if (shown.unit === 'us') return { time: walk.timeOf(position), lit };
    const begun = cells.filter(({ events }) => events !== undefined && events.first <= position.event);
    const latest = begun.reduce((time, cell) => Math.max(time, cellShown(cell).start), shown.from);
    const over = begun.length === cells.length && cells.every(({ events }) => (events?.last ?? 0) <= position.event);
    return { time: over ? shown.to : latest, lit };
  };
}

/** The cells with a part in the cursor's moment, and the cells that have begun and are not done. */
function underWay(trace: StepTrace, cells: readonly PictureCell[], { event }: Position): readonly PictureCell[] {
  const moment = hasMoments(trace) ? momentAt(trace.moments, event) : undefined;
  const [first, last] = moment ? [moment.events[0] ?? event, moment.events.at(-1) ?? event] : [event, event];
  return cells.filter(({ events }) => events && events.first <= last && events.last >= first);
}
