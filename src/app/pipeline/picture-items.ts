/**
 * The items of the pipeline picture that can be pointed at, row by row in the order of time: cells, gaps, and in the
 * editor the place after a row's last cell. Pure; used by pointer, keyboard and painter.
 */
import type { ScheduleGap } from '../../schedules/timing';
import { clamp } from '../draw/geometry';
import type { Picture, PictureCell, PictureRow } from './picture';

interface Stretch {
  readonly id: string;
  readonly rank: number;
  readonly start: number;
  readonly end: number;
}

export type PictureItem =
  | (Stretch & { readonly kind: 'cell'; readonly cell: PictureCell })
  /** `index`: index in the rank's order of the cell after the gap. */
  | (Stretch & { readonly kind: 'gap'; readonly gap: ScheduleGap; readonly index: number | undefined })
  /** The place of the row's next cell. */
  | (Stretch & { readonly kind: 'end' });

/** A cell's id: its place in the rank's order, and its part of a pair. */
export const cellId = ({ rank, index, action, paired }: PictureCell): string =>
  `cell ${rank} ${index}${paired ? ` ${action.kind}` : ''}`;

export const endId = (rank: number): string => `end ${rank}`;

const gapId = ({ rank, start }: ScheduleGap): string => `gap ${rank} ${start}`;

/** `withEnds`: rows have an item after their last cell. */
export const itemsOf = ({ rows }: Picture, withEnds = false): readonly (readonly PictureItem[])[] =>
  rows.map((row) => {
    const items = itemsOfRow(row);
    const start = row.cells.at(-1)?.end ?? 0;
    return withEnds ? [...items, { kind: 'end', id: endId(row.rank), rank: row.rank, start, end: start + 1 }] : items;
  });

function itemsOfRow({ rank, cells, gaps }: PictureRow): readonly PictureItem[] {
  const all: PictureItem[] = [
    ...cells.map((cell) => ({ kind: 'cell', id: cellId(cell), rank, start: cell.start, end: cell.end, cell }) as const),
    ...gaps.map((gap) => {
      const index = cells.find(({ start }) => start >= gap.end)?.index;
      return { kind: 'gap', id: gapId(gap), rank, start: gap.start, end: gap.end, gap, index } as const;
    }),
  ];
  return all.sort((a, b) => a.start - b.start || a.end - b.end);
}

export const findItem = (
  items: readonly (readonly PictureItem[])[],
  id: string | undefined,
): PictureItem | undefined => (id === undefined ? undefined : items.flat().find((item) => item.id === id));

/** The item to which a key leads; undefined for other keys. Up and down keep the time. */
export function itemBeside(
  items: readonly (readonly PictureItem[])[],
  from: PictureItem,
  key: string,
): PictureItem | undefined {
  const row = items[from.rank] ?? [];
  const place = row.findIndex(({ id }) => id === from.id);
  switch (key) {
    case 'ArrowLeft':
      return row[Math.max(0, place - 1)];
    case 'ArrowRight':
      return row[Math.min(row.length - 1, place + 1)];
    case 'Home':
      return row[0];
    case 'End':
      return row.at(-1);
    case 'ArrowUp':
    case 'ArrowDown': {
      const rank = clamp(from.rank + (key === 'ArrowUp' ? -1 : 1), 0, items.length - 1);
      return rank === from.rank ? from : nearest(items[rank] ?? [], (from.start + from.end) / 2);
    }
    default:
      return undefined;
  }
}

const away = ({ start, end }: Stretch, time: number): number => Math.max(start - time, time - end, 0);

function nearest(row: readonly PictureItem[], time: number): PictureItem | undefined {
  let best: PictureItem | undefined;
  for (const item of row) if (!best || away(item, time) < away(best, time)) best = item;
  return best;
}
