/**
 * Where the rooms stand: one alone, two side by side, more on the rim of a grid, clockwise, so that neighbours in rank
 * order are neighbours on the page and a ring has no crossing. Pure: sizes in, rectangles out. What does not fit in the
 * height given makes the stage taller; its region scrolls. Called by the scene; the roads between the rooms are laid by
 * routes.ts.
 */
import { clamp, type Rect, type Size } from '../draw/geometry';

/** 'rows': two rows of rooms with a street between them; 'columns': two columns. */
export type Arrangement = 'one' | 'row' | 'column' | 'rows' | 'columns';

export interface LayoutInput extends Size {
  readonly devices: number;
  /** The smallest room that shows its contents, and the largest that is not waste. */
  readonly smallest: Size;
  readonly largest: Size;
  /** Whether anything travels between rooms, so that the gaps must hold packets. */
  readonly traffic: boolean;
}

export interface StageLayout extends Size {
  readonly arrangement: Arrangement;
  /** Index = device. */
  readonly rooms: readonly Rect[];
  /** Phones: small rooms, packets without labels. */
  readonly compact: boolean;
}

interface Cell {
  readonly column: number;
  readonly row: number;
}

interface Plan extends Size {
  readonly arrangement: Arrangement;
  readonly columns: number;
  readonly rows: number;
  readonly room: Size;
  readonly gap: Size;
}

const COMPACT_BELOW = 560;
const MARGIN = 12;

/** Cells of a two-row grid clockwise from the top left; an odd last room stands between its upper neighbours. */
function rim(devices: number): readonly Cell[] {
  const columns = Math.ceil(devices / 2);
  const below = devices - columns;
  return Array.from({ length: devices }, (_, d) =>
    d < columns ? { column: d, row: 0 } : { column: below - 1 - (d - columns) + (columns - below) / 2, row: 1 },
  );
}

/** The same walk in two columns: right along the top, down on the right, up on the left. */
function rimOfColumns(devices: number): readonly Cell[] {
  const rows = Math.ceil(devices / 2);
  return Array.from({ length: devices }, (_, d) => {
    if (d === 0) return { column: 0, row: 0 };
    if (d <= rows - 1) return { column: 1, row: d - 1 };
    if (devices % 2 === 1 && d === rows) return { column: 0.5, row: rows - 1 };
    if (devices % 2 === 0 && d === rows) return { column: 1, row: rows - 1 };
    return { column: 0, row: devices - d };
  });
}

function plansFor(devices: number): readonly { arrangement: Arrangement; columns: number; rows: number }[] {
  if (devices <= 1) return [{ arrangement: 'one', columns: 1, rows: 1 }];
  if (devices === 2) {
    return [
      { arrangement: 'row', columns: 2, rows: 1 },
      { arrangement: 'column', columns: 1, rows: 2 },
    ];
  }
  const half = Math.ceil(devices / 2);
  return [
    { arrangement: 'rows', columns: half, rows: 2 },
    { arrangement: 'columns', columns: 2, rows: half },
  ];
}

function plan(input: LayoutInput, kind: ReturnType<typeof plansFor>[number], compact: boolean): Plan {
  const { columns, rows } = kind;
  const margin = compact ? 8 : MARGIN;
  const wide = (input.width - 2 * margin) * (columns > 2 ? 0.062 : 0.125);
  const gap = input.traffic
    ? { width: compact ? 34 : clamp(wide, 46, 170), height: compact ? 42 : clamp(input.height * 0.1, 44, 96) }
    : { width: 20, height: 20 };
  const free = {
    width: input.width - 2 * margin - gap.width * (columns - 1),
    height: input.height - 2 * margin - gap.height * (rows - 1),
  };
  const room = {
    width: Math.min(free.width / columns, input.largest.width),
    height: clamp(free.height / rows, input.smallest.height, input.largest.height),
  };
  return {
    ...kind,
    room,
    gap,
    width: input.width,
    height: Math.max(input.height, rows * room.height + (rows - 1) * gap.height + 2 * margin),
  };
}

/** How well a plan's rooms hold what they must show: 1 and more is comfortable; a stage that has to scroll loses. */
function worth(p: Plan, input: LayoutInput): number {
  const fit = Math.min(p.room.width / input.smallest.width, p.room.height / input.smallest.height);
  return Math.min(fit, 1.6) * (p.height > input.height + 1 ? input.height / p.height : 1);
}

export function layoutStage(input: LayoutInput): StageLayout {
  const compact = input.width < COMPACT_BELOW;
  const plans = plansFor(input.devices).map((kind) => plan(input, kind, compact));
  const best = plans.reduce((a, b) => (worth(b, input) > worth(a, input) + 0.01 ? b : a));
  const { room, gap } = best;
  const cells = best.arrangement === 'columns' ? rimOfColumns(input.devices) : rim(input.devices);
  const total = {
    width: best.columns * room.width + (best.columns - 1) * gap.width,
    height: best.rows * room.height + (best.rows - 1) * gap.height,
  };
  const left = (best.width - total.width) / 2;
  const top = (best.height - total.height) / 2;
  const place = (cell: Cell): Rect => ({
    x: Math.round(left + cell.column * (room.width + gap.width)),
    y: Math.round(top + cell.row * (room.height + gap.height)),
    width: Math.floor(room.width),
    height: Math.floor(room.height),
  });
  // Two rooms are listed on the rim as (0, 0) and (0, 1): one above the other; side by side they lie in one row.
  const turned = best.arrangement === 'row' ? cells.map(({ column, row }) => ({ column: row, row: column })) : cells;
  return { arrangement: best.arrangement, compact, width: best.width, height: best.height, rooms: turned.map(place) };
}
