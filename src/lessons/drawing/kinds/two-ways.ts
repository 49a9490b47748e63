/**
 * The drawing `two-ways`: one all-reduce that moves, chunk by chunk, from "through rank 0" to the ring. Each tile is
 * one message of one chunk, taken from two real runs of the lab (record/two-ways.ts): both ways send equally many, and
 * only their senders differ. Drawn in the lesson on all-reduce.
 */
import { must } from '../../../base/invariant';
import { write } from '../../facts/write';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text } from '../svg';

/** One chunk on its way: the same hop of the same chunk has the same place in both ways. */
export interface DrawnHop {
  readonly from: number;
  readonly to: number;
  readonly chunk: number;
  readonly part: 'reduce-scatter' | 'all-gather';
  /** Index of this hop among the hops of its chunk, from 0. */
  readonly index: number;
  readonly bytes: number;
}

export interface WaysOf {
  readonly ranks: number;
  readonly ring: readonly DrawnHop[];
  readonly naive: readonly DrawnHop[];
}

const QUARTERS = 4;
const PARTS = ['nothing', 'a quarter', 'half', 'three quarters', 'everything'];
const LANE = 26;
const TILE = 18;

const waysOf = (data: unknown): readonly WaysOf[] => must(data, 'recorded runs') as readonly WaysOf[];

/** Chunks below the border go around the ring, the others through rank 0. */
export const hopsOf = ({ ranks, ring, naive }: WaysOf, quarters: number): readonly DrawnHop[] => {
  const border = (ranks * quarters) / QUARTERS;
  return [...ring.filter(({ chunk }) => chunk < border), ...naive.filter(({ chunk }) => chunk >= border)];
};

export const sentBy = (hops: readonly DrawnHop[], rank: number): number =>
  hops.reduce((sum, { from, bytes }) => sum + (from === rank ? bytes : 0), 0);

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Rank 0 goes from the middle to its place in the ring. */
function spotsOf(ranks: number, quarters: number, { x, y }: Spot, radius: number): readonly Spot[] {
  return Array.from({ length: ranks }, (_, rank) => {
    const turn = (2 * Math.PI * rank) / ranks - Math.PI / 2;
    const out = rank === 0 ? (radius * quarters) / QUARTERS : radius;
    return { x: x + out * Math.cos(turn), y: y + out * Math.sin(turn) };
  });
}

/** A line per pair of ranks; its width shows the bytes sent over it in both directions. */
function links(hops: readonly DrawnHop[], spots: readonly Spot[]): readonly string[] {
  const most = 10;
  const heaviest = Math.max(...spots.map((_, rank) => sentBy(hops, rank)));
  return spots.flatMap((a, one) =>
    spots.flatMap((b, other) => {
      if (other <= one) return [];
      const bytes = hops.reduce(
        (sum, hop) =>
          sum + (Math.min(hop.from, hop.to) === one && Math.max(hop.from, hop.to) === other ? hop.bytes : 0),
        0,
      );
      if (bytes === 0) return [];
      return shape('line', {
        ...{ key: `link ${one} ${other}`, x1: a.x, y1: a.y, x2: b.x, y2: b.y, stroke: 'var(--phase-comm-edge)' },
        ...{ 'stroke-width': Math.max(1.5, (most * bytes) / heaviest), 'stroke-opacity': 0.6 },
      });
    }),
  );
}

const devices = (spots: readonly Spot[]): readonly string[] =>
  spots.flatMap(({ x, y }, rank) => [
    shape('circle', { key: `rank ${rank}`, cx: x, cy: y, r: 15, fill: 'var(--card)' }),
    shape('circle', {
      ...{ key: `ring ${rank}`, cx: x, cy: y, r: 15, fill: `var(--rank-${rank})`, 'fill-opacity': 0.3 },
      ...{ stroke: `var(--rank-${rank})`, 'stroke-width': 2 },
    }),
    text(String(rank), { key: `name ${rank}`, x, y: y + 4.5, 'text-anchor': 'middle', 'font-weight': 600 }),
  ]);

/** One lane per rank, with one tile per message that the rank sends. */
function lanes(hops: readonly DrawnHop[], ranks: number, { x: left, y: top }: Spot, width: number): readonly string[] {
  const longest = ranks * (ranks - 1);
  const tile = Math.min(TILE + 2, (width - 66 - 64) / longest);
  const placed = new Map<number, number>();
  const tiles = hops.map(({ from, chunk, part, index }) => {
    const place = placed.get(from) ?? 0;
    placed.set(from, place + 1);
    return shape('rect', {
      ...{ key: `${part} ${chunk} ${index}`, x: left + 66 + place * tile, y: top + from * LANE + 4, height: TILE },
      ...{ width: tile > 6 ? tile - 2 : tile, rx: tile > 6 ? 3 : 0, stroke: 'var(--card)', 'stroke-width': 0.5 },
      fill: part === 'all-gather' ? 'var(--phase-comm)' : 'var(--phase-comm-edge)',
    });
  });
  const labels = Array.from({ length: ranks }, (_, rank) => [
    text(`rank ${rank}`, { x: left, y: top + rank * LANE + 17 }),
    text(write(sentBy(hops, rank), 'bytes'), {
      ...{ key: `sent ${rank}`, x: left + 66 + (placed.get(rank) ?? 0) * tile + 6, y: top + rank * LANE + 17 },
      'font-weight': 600,
    }),
  ]).flat();
  return [...tiles, ...labels];
}

function draw({ settings, width, data }: DrawAsked): Drawn {
  const ranks = Number(settings['ranks']);
  const quarters = Number(settings['part']);
  const ways = must(
    waysOf(data).find((own) => own.ranks === ranks),
    'runs with so many ranks',
  );
  const hops = hopsOf(ways, quarters);
  const isNarrow = width < 620;
  const room = 250;
  const middle = { x: isNarrow ? width / 2 : 125, y: 128 };
  const lanesAt = isNarrow ? { x: 0, y: room + 28 } : { x: room + 40, y: 34 };
  const height = Math.max(room, lanesAt.y + ranks * LANE + 8);
  const sent = Array.from({ length: ranks }, (_, rank) => sentBy(hops, rank));
  const [first = 0, ...others] = sent;
  const total = sent.reduce((sum, own) => sum + own, 0);
  const most = Math.max(...others);
  const way =
    quarters === 0
      ? 'Everything goes through rank 0'
      : quarters === QUARTERS
        ? 'Everything goes around the ring'
        : `${(PARTS[quarters] ?? '').replace(/^./, (letter) => letter.toUpperCase())} of the gradient goes around the ring, the rest through rank 0`;
  const says = `${way}: rank 0 sends ${write(first, 'bytes')}, every other rank at most ${write(most, 'bytes')}. All ranks together always send ${write(total, 'bytes')}.`;
  const legend = [
    shape('rect', { x: lanesAt.x, y: lanesAt.y - 28, width: 12, height: 12, rx: 2, fill: 'var(--phase-comm-edge)' }),
    text('to be added', { x: lanesAt.x + 17, y: lanesAt.y - 17.5, fill: 'var(--soft)' }),
    shape('rect', { x: lanesAt.x + 108, y: lanesAt.y - 28, width: 12, height: 12, rx: 2, fill: 'var(--phase-comm)' }),
    text('sums, passed on', { x: lanesAt.x + 125, y: lanesAt.y - 17.5, fill: 'var(--soft)' }),
  ];
  const spots = spotsOf(ranks, quarters, middle, 96);
  return {
    svg: svg(
      { width, height, label: says },
      ...links(hops, spots),
      ...devices(spots),
      ...legend,
      ...lanes(hops, ranks, lanesAt, width - lanesAt.x),
    ),
    says,
    values: [
      { id: 'first', label: 'rank 0 sends', value: first, format: 'bytes' },
      { id: 'most', label: 'the busiest other rank sends', value: most, format: 'bytes' },
      { id: 'total', label: 'all ranks together send', value: total, format: 'bytes' },
    ],
  };
}

export const kind: DrawingKind = {
  knobs: () => [
    {
      ...{ key: 'part', label: 'Around the ring goes', values: ['0', '1', '2', '3', '4'], words: PARTS },
      play: true,
    },
    { key: 'ranks', label: 'Ranks', values: ['4', '8'] },
  ],
  start: () => ({ part: '0', ranks: '8' }),
  draw,
};
