/**
 * The drawing `deal`: the list of row numbers that all samplers draw. The reader paints each entry in the colour of the
 * rank that reads it, and the drawing compares the painted entries with the rows that ranks of real runs have read
 * (record/deal.ts). Below the list is the data set, with the readers of each row. Drawn in the lesson on samplers.
 */
import { must } from '../../../base/invariant';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { pressable, shape, svg, text } from '../svg';

/** One run: for each epoch the row numbers of each rank, in the order in which the rank reads them. */
export interface Deal {
  /** The knobs' values: `4 0`, ranks and drop_last. */
  readonly name: string;
  readonly rows: number;
  /** [epoch][rank] */
  readonly read: readonly (readonly (readonly number[])[])[];
}

export interface Entry {
  readonly row: number;
  readonly rank: number;
  /** This row was in the list before: padding. */
  readonly again: boolean;
}

/** The mark of an entry that is not painted. */
const BLANK = '.';

/** The list that the ranks deal from, in its order: entry i is read by rank i mod N. */
export function entriesOf(read: readonly (readonly number[])[]): readonly Entry[] {
  const length = read.reduce((sum, { length: own }) => sum + own, 0);
  const seen = new Set<number>();
  return Array.from({ length }, (_, index) => {
    const rank = index % read.length;
    const row = must(read[rank]?.[Math.floor(index / read.length)], 'a row');
    const again = seen.has(row);
    seen.add(row);
    return { row, rank, again };
  });
}

const dealsOf = (data: unknown): readonly Deal[] => must(data, 'recorded runs') as readonly Deal[];

const colour = (rank: number): string => `var(--rank-${rank})`;

interface Grid {
  readonly entries: readonly Entry[];
  readonly rows: number;
  readonly ranks: number;
  /** One character per entry: the rank that was painted there, or BLANK. */
  readonly painted: string;
  readonly brush: number;
  readonly isShown: boolean;
  readonly width: number;
  readonly isLive: boolean;
}

const GAP = 6;
const NOTE = 12;

/** Chooses the number of columns so that a finger can hit a cell. */
function shapeOf({ width, entries }: Grid): { readonly columns: number; readonly cell: number } {
  const columns = width < 520 ? 6 : Math.max(10, entries.length);
  return { columns, cell: Math.min(56, (width - GAP * (columns - 1)) / columns) };
}

/** The rank whose colour an entry has. */
function rankAt({ painted, ranks, isShown, entries }: Grid, index: number): number | undefined {
  if (isShown) return entries[index]?.rank;
  const own = painted[index] ?? BLANK;
  return own === BLANK || Number(own) >= ranks ? undefined : Number(own);
}

function cellOf(grid: Grid, index: number, top: number): string {
  const { columns, cell } = shapeOf(grid);
  const { row, rank: reads, again } = must(grid.entries[index], 'an entry');
  const rank = rankAt(grid, index);
  const x = (index % columns) * (cell + GAP);
  const y = top + Math.floor(index / columns) * (cell + GAP);
  const drawn = [
    shape('rect', {
      ...{ key: `cell ${index}`, x: x + 1, y: y + 1, width: cell - 2, height: cell - 2, rx: 6 },
      ...{ fill: rank === undefined ? 'var(--paper)' : colour(rank), 'fill-opacity': rank === undefined ? 1 : 0.25 },
      ...{ stroke: rank === undefined ? 'var(--line)' : colour(rank), 'stroke-width': 2 },
      'stroke-dasharray': again ? '5 3' : undefined,
    }),
    text(String(row), { x: x + cell / 2, y: y + cell / 2 + 2, 'text-anchor': 'middle', 'font-size': 17 }),
    text(rank === undefined ? '?' : `rank ${rank}`, {
      ...{ x: x + cell / 2, y: y + cell - 8, 'text-anchor': 'middle', 'font-size': NOTE - 1, fill: 'var(--soft)' },
    }),
    ...(rank !== undefined && rank !== reads
      ? [text('✗', { x: x + cell - 13, y: y + 15, 'font-size': 13, 'font-weight': 700, fill: 'var(--bad)' })]
      : []),
  ];
  if (!grid.isLive || grid.isShown) return drawn.join('');
  const next = [...grid.painted.padEnd(grid.entries.length, BLANK)];
  next[index] = String(grid.brush);
  return pressable(
    {
      key: `entry ${index}`,
      label: `entry ${index}, row ${row}${again ? ', again' : ''}: ${rank === undefined ? 'not painted' : `rank ${rank}${rank === reads ? '' : ', wrong'}`}`,
      sets: ['painted', next.join('')],
      paints: true,
    },
    ...drawn,
  );
}

/** The pots of paint, one per rank; pressing a pot gives the brush its colour. */
function palette({ ranks, brush, width, isLive, isShown }: Grid): readonly string[] {
  const each = Math.min(84, width / ranks);
  return Array.from({ length: ranks }, (_, rank) => {
    const chosen = rank === brush && !isShown;
    const drawn = [
      shape('rect', {
        ...{ x: rank * each + 1, y: 1, width: each - 8, height: 30, rx: 15, fill: colour(rank), 'fill-opacity': 0.25 },
        ...{ stroke: chosen ? 'var(--ink)' : colour(rank), 'stroke-width': chosen ? 2.5 : 1 },
      }),
      text(each < 60 ? `${rank}` : `rank ${rank}`, { x: rank * each + (each - 6) / 2, y: 20, 'text-anchor': 'middle' }),
    ];
    if (!isLive || isShown) return drawn.join('');
    return pressable(
      { key: `brush ${rank}`, label: `paint for rank ${rank}`, pressed: chosen, sets: ['brush', String(rank)] },
      ...drawn,
    );
  });
}

/** The data set, row by row, each with the ranks that read it. */
function readers(grid: Grid, top: number): readonly string[] {
  const { rows, entries, width } = grid;
  const each = Math.min(56 + GAP, width / rows);
  return Array.from({ length: rows }, (_, row) => {
    const ranks = entries.flatMap((entry, index) => {
      const rank = rankAt(grid, index);
      return entry.row === row && rank !== undefined ? [rank] : [];
    });
    const band = (each - 4) / Math.max(1, ranks.length);
    return [
      shape('rect', {
        ...{ x: row * each, y: top, width: each - 4, height: 26, rx: 4, fill: 'var(--paper)', stroke: 'var(--line)' },
      }),
      ...ranks.map((rank, place) =>
        shape('rect', {
          ...{ key: `reader ${row} ${place}`, x: row * each + place * band, y: top, width: band, height: 26 },
          ...{ fill: colour(rank), 'fill-opacity': 0.4, stroke: colour(rank), rx: 4 },
        }),
      ),
      text(String(row), { x: row * each + each / 2 - 2, y: top + 18, 'text-anchor': 'middle' }),
    ].join('');
  });
}

function draw({ settings, width, data, isLive = false }: DrawAsked): Drawn {
  const ranks = Number(settings['ranks']);
  const deal = must(
    dealsOf(data).find(({ name }) => name === `${ranks} ${settings['dropLast']}`),
    'a run with these settings',
  );
  const read = must(deal.read[Number(settings['epoch'])], 'an epoch');
  const grid: Grid = {
    ...{ entries: entriesOf(read), rows: deal.rows, ranks, painted: settings['painted'] ?? '', width, isLive },
    brush: Math.min(Number(settings['brush']), ranks - 1),
    isShown: settings['show'] === 'sampler',
  };
  const { entries } = grid;
  const { columns, cell } = shapeOf(grid);
  const listTop = 62;
  const listEnd = listTop + Math.ceil(entries.length / columns) * (cell + GAP);
  const painted = entries.filter((_, index) => rankAt(grid, index) !== undefined).length;
  const right = entries.filter(({ rank }, index) => rankAt(grid, index) === rank).length;
  const different = new Set(entries.map(({ row }) => row)).size;
  const says = saysOf(grid, { painted, right, different });
  const label = (words: string, y: number) => text(words, { x: 0, y, fill: 'var(--soft)' });
  return {
    svg: svg(
      { width, height: listEnd + 56, label: says, role: isLive && !grid.isShown ? 'group' : 'img' },
      ...palette(grid),
      label(
        width < 520
          ? 'The list (dashed: a repeated row)'
          : 'The list that every sampler draws (dashed: a repeated row)',
        listTop - 10,
      ),
      ...entries.map((_, index) => cellOf(grid, index, listTop)),
      label('The data set, and who reads each row', listEnd + 16),
      ...readers(grid, listEnd + 26),
    ),
    says,
    values: [
      { id: 'entries', label: 'entries of the list', value: entries.length, format: 'count' },
      { id: 'again', label: 'rows that are read twice', value: entries.length - different, format: 'count' },
      { id: 'left', label: 'rows that no rank reads', value: deal.rows - different, format: 'count' },
      { id: 'right', label: 'entries painted as in the sampler’s list', value: right, format: 'count' },
    ],
  };
}

interface Score {
  readonly painted: number;
  readonly right: number;
  readonly different: number;
}

function saysOf({ entries, ranks, rows, isShown }: Grid, { painted, right, different }: Score): string {
  const again = entries.length - different;
  const rest = rows - different;
  const dealt = `Entry 0 goes to rank 0, entry 1 to rank 1, and the entry after rank ${ranks - 1}’s goes to rank 0 again.`;
  const twice =
    again > 0
      ? ` ${again} ${again === 1 ? 'row is' : 'rows are'} read twice.`
      : rest > 0
        ? ''
        : ' Every row is read once.';
  const lost = rest > 0 ? ` ${rest} ${rest === 1 ? 'row is' : 'rows are'} read by no rank.` : '';
  if (isShown || right === entries.length) return `${isShown ? '' : 'All right. '}${dealt}${twice}${lost}`;
  if (painted === 0) return 'Choose a rank, then paint the entries that this rank reads.';
  const wrong = painted - right;
  const left = entries.length - painted;
  return `${right} of ${entries.length} entries are painted as in the sampler’s list${wrong > 0 ? `, ${wrong} ${wrong === 1 ? 'is' : 'are'} wrong` : ''}${left > 0 ? `; ${left} are blank. Choose a rank and continue.` : '.'}`;
}

/** The settings of the runs on which the drawing is based. */
export const DEALT = { ranks: ['2', '3', '4', '5', '8'], dropLast: ['0', '1'], epochs: 3 } as const;

export const kind: DrawingKind = {
  knobs: () => [
    { key: 'ranks', label: 'Ranks', values: DEALT.ranks },
    { key: 'dropLast', label: 'drop_last', values: DEALT.dropLast, words: ['False', 'True'] },
    { key: 'epoch', label: 'Epoch', values: Array.from({ length: DEALT.epochs }, (_, epoch) => String(epoch)) },
    { key: 'show', label: 'Show', values: ['own', 'sampler'], words: ['my painting', 'the sampler’s'] },
  ],
  start: () => ({ ranks: '4', dropLast: '0', epoch: '0', show: 'own', painted: '0123', brush: '0' }),
  draw,
};
