/**
 * The drawing `recording`: one step of a recording of torch.profiler, divided into computing, hidden communication,
 * waiting, transfer and idle time, with two lanes per rank; below them the operators of a short piece. One knob
 * highlights one kind of time; if the drawing shows several recordings, another knob chooses one. src/recordings
 * divides the step (record/recorded-steps.ts). Drawn in the lesson on traces.
 */
import { must } from '../../../base/invariant';
import { write } from '../../facts/write';
import type { DrawAsked, DrawingKind, Drawn, DrawnTable, DrawnValue } from '../drawing';
import { shape, svg, text, widthOf } from '../svg';

/** Pairs of start and end in a flat list, microseconds from the start of the step. */
type Intervals = readonly number[];

type Kind = 'compute' | 'hidden' | 'waiting' | 'transfer' | 'idle';

export interface PicturedRank {
  readonly rank: number;
  readonly span: readonly [fromUs: number, toUs: number];
  readonly compute: Intervals;
  readonly hidden: Intervals;
  readonly waiting: Intervals;
  readonly transfer: Intervals;
  /** Idle time inside a data loader; the drawing computes the other idle time. */
  readonly loader: Intervals;
  readonly us: Readonly<Record<Kind | 'step', number>>;
  /** The largest cause of idle time, if there is one. */
  readonly idle: readonly { readonly loader: boolean; readonly name: string; readonly us: number }[];
  /** Operators that call no other operator. */
  readonly operators: number;
}

/** Its start is counted from the start of the piece. */
export type PicturedOperator = readonly [startUs: number, durUs: number, name: string];

export interface PicturedStep {
  readonly name: string;
  readonly step: number;
  readonly ranks: readonly PicturedRank[];
  /** A short piece of the first rank. */
  readonly close: {
    readonly fromUs: number;
    /** Operators that no other operator calls, and operators that call no other. */
    readonly outer: readonly PicturedOperator[];
    readonly leaves: readonly PicturedOperator[];
  };
  readonly collectives: number;
  /** Over all steps of the recording: the rank that joins last most often, and by how much (median). */
  readonly late: { readonly rank: number; readonly byUs: number } | undefined;
}

/** Duration of the short piece. */
export const CLOSE_US = 400;

const LOOKS = ['all', 'compute', 'hidden', 'waiting', 'transfer', 'idle'] as const;
type Look = (typeof LOOKS)[number];
const WORDS: Readonly<Record<Look, string>> = {
  ...{ all: 'everything', compute: 'computing', hidden: 'hidden communication' },
  ...{ waiting: 'waiting', transfer: 'transfer', idle: 'idle' },
};
const MEANING: Readonly<Record<Kind, string>> = {
  compute: 'An operator runs.',
  hidden: 'Data moves while an operator runs.',
  waiting: 'The rank has joined an all-reduce, and another rank has not.',
  transfer: 'All ranks have joined, data moves, and no operator runs.',
  idle: 'The rank neither computes nor communicates.',
};
const COMM = 'var(--phase-comm)';
const PAINT: Readonly<Record<Kind, Readonly<Record<string, string | number>>>> = {
  compute: { fill: 'var(--phase-forward)' },
  hidden: { fill: COMM, 'fill-opacity': 0.4 },
  waiting: { fill: 'var(--card)', stroke: COMM, 'stroke-width': 1.4, 'stroke-dasharray': '3 2' },
  transfer: { fill: COMM },
  idle: { fill: 'var(--line)' },
};
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const LANE = 17;
const GAP = 3;
const DIM = 0.13;
const CLOSE = 26;
const LEAF = 13;

const stepsOf = (data: unknown): readonly PicturedStep[] => must(data, 'recordings') as readonly PicturedStep[];
const namesIn = (about: string): readonly string[] => about.split(',');
const lookIn = (settings: Readonly<Record<string, string>>): Look =>
  LOOKS.find((own) => own === settings['look']) ?? 'all';

function draw({ settings, width, about, data }: DrawAsked): Drawn {
  const name = settings['recording'] ?? namesIn(about)[0];
  const step = must(
    stepsOf(data).find((own) => own.name === name),
    'a recording',
  );
  const look = lookIn(settings);
  const says = saysOf(step, look);
  return { svg: picture(step, look, width, says), says, values: valuesOf(step), table: tableOf(step) };
}

const percentOf = ({ us }: PicturedRank, kind: Kind): string => write(us[kind] / us.step, 'percent');

function saysOf(step: PicturedStep, look: Look): string {
  const { ranks } = step;
  if (look === 'all')
    return `One step of ${ranks.length} ranks, ${step.collectives} all-reduce${step.collectives === 1 ? '' : 's'}: ${ranks.map(({ rank, us }) => `rank ${rank} takes ${write(us.step, 'time')}`).join(', ')}.`;
  const own = ranks.map((rank) => `rank ${rank.rank} ${write(rank.us[look], 'time')} (${percentOf(rank, look)})`);
  const cause = look === 'idle' ? causeIn(ranks) : '';
  return `${MEANING[look]} ${own.join(', ').replace(/^r/, 'R')}.${cause}`;
}

/** The largest cause of idle time of the rank that is idle longest. */
function causeIn(ranks: readonly PicturedRank[]): string {
  const [most] = ranks.toSorted((a, b) => b.us.idle - a.us.idle);
  const [cause] = most?.idle ?? [];
  if (!most || !cause) return '';
  const place = cause.loader ? `inside ${shortened(cause.name)}` : cause.name || 'between operators, in Python';
  return ` Rank ${most.rank} spends ${write(cause.us, 'time')} of that ${place}.`;
}

const shortened = (name: string): string => (name.length > 30 ? `${name.slice(0, 28)}…` : name);

interface Scale {
  readonly left: number;
  readonly x: (us: number) => number;
}

function picture(step: PicturedStep, look: Look, width: number, label: string): string {
  const narrow = width < 520;
  const left = narrow ? 0 : 62;
  const longest = Math.max(...step.ranks.map(({ span }) => span[1]));
  const x = (us: number) => left + ((width - left - 2) * us) / longest;
  const legend = legendOf(look, width);
  const row = 2 * LANE + GAP + (narrow ? 30 : 16);
  const lanes = step.ranks.flatMap((rank, index) =>
    rankOf(rank, look, { left, x }, legend.height + row * index + (narrow ? 18 : 0)),
  );
  const base = legend.height + row * step.ranks.length;
  return svg(
    { width, height: base + 44 + CLOSE + LEAF + 10, label },
    ...legend.marks,
    ...lanes,
    text('0', { x: left, y: base + 6, fill: 'var(--soft)' }),
    text(write(longest, 'time'), { x: width - 2, y: base + 6, 'text-anchor': 'end', fill: 'var(--soft)' }),
    ...closeOf(step, { left, x }, base, width),
  );
}

function legendOf(look: Look, width: number): { readonly marks: readonly string[]; readonly height: number } {
  let [x, y] = [0, 0];
  const marks = LOOKS.flatMap((own) => {
    if (own === 'all') return [];
    const wide = 18 + widthOf(WORDS[own]) + 12;
    if (x > 0 && x + wide > width) [x, y] = [0, y + 21];
    const mark = [
      shape('rect', { x, y: y + 4, width: 12, height: 12, rx: 2, ...PAINT[own] }),
      text(WORDS[own], { x: x + 17, y: y + 14.5, fill: look === own ? 'var(--ink)' : 'var(--soft)' }),
    ];
    x += wide;
    return mark;
  });
  return { marks, height: y + 34 };
}

/** The upper lane shows the rank's computations, the lower lane its collectives. */
function rankOf(rank: PicturedRank, look: Look, { left, x }: Scale, top: number): readonly string[] {
  const below = top + LANE + GAP;
  const bars = (when: Intervals, kind: Kind, y: number, height = LANE) =>
    pairs(when).map(([from, to]) =>
      shape('rect', {
        ...{ x: x(from), y, width: Math.max(0.6, x(to) - x(from)), height, ...PAINT[kind] },
        opacity: look === 'all' || look === kind ? 1 : DIM,
      }),
    );
  return [
    left > 0
      ? text(`rank ${rank.rank}`, { x: left - 10, y: top + LANE + 6, 'text-anchor': 'end', 'font-weight': 600 })
      : text(`rank ${rank.rank}`, { x: 0, y: top - 4, 'font-weight': 600 }),
    // The line of idle time; other bars cover it.
    ...bars(rank.span, 'idle', top + LANE / 2 - 2, 4),
    ...bars(rank.waiting, 'waiting', below),
    ...bars(rank.transfer, 'transfer', below),
    ...bars(rank.hidden, 'hidden', below),
    ...pairs(rank.compute).map(([from, to]) =>
      // An opaque ground: dimmed bars, too, must hide the line of idle time.
      shape('rect', { x: x(from), y: top, width: Math.max(0.6, x(to) - x(from)), height: LANE, fill: 'var(--card)' }),
    ),
    ...bars(rank.compute, 'compute', top),
    ...bars(rank.loader, 'idle', top),
  ];
}

/**
 * The operators of the short piece, with their names where they fit; below each operator, the inner operators that do
 * its work.
 */
function closeOf({ close, ranks }: PicturedStep, { left, x }: Scale, base: number, width: number): readonly string[] {
  const top = base + 44;
  const at = (us: number) => left + ((width - left - 2) * Math.min(Math.max(us, 0), CLOSE_US)) / CLOSE_US;
  const [from, to] = [x(close.fromUs), x(close.fromUs + CLOSE_US)];
  return [
    shape('path', {
      d: `M${round(from)} ${base - 8}H${round(to)}L${round(width - 2)} ${top}H${round(left)}Z`,
      ...{ fill: 'var(--line)', 'fill-opacity': 0.35 },
    }),
    text(`${CLOSE_US} µs of rank ${ranks[0]?.rank ?? 0}, operator by operator`, {
      ...{ x: left + 4, y: base + 34, fill: 'var(--ink)' },
    }),
    ...close.outer.flatMap(([startUs, durUs, name]) => {
      const [a, b] = [at(startUs), at(startUs + durUs)];
      const words = name.replace(/^aten::|^autograd::engine::evaluate_function: /, '');
      return [
        shape('rect', { x: a, y: top, width: Math.max(0.6, b - a - 0.8), height: CLOSE, ...PAINT.compute }),
        ...(widthOf(words, 11) + 8 < b - a ? [text(words, { x: a + 4, y: top + 17, 'font-size': 11 })] : []),
      ];
    }),
    ...close.leaves.map(([startUs, durUs]) => {
      const [a, b] = [at(startUs), at(startUs + durUs)];
      const width = Math.max(0.6, b - a - 0.8);
      return shape('rect', { x: a, y: top + CLOSE + 1, width, height: LEAF, fill: 'var(--phase-forward-edge)' });
    }),
  ];
}

const round = (value: number): number => Math.round(10 * value) / 10;

const pairs = (when: Intervals): readonly (readonly [number, number])[] =>
  Array.from({ length: when.length / 2 }, (_, index) => [when[2 * index] ?? 0, when[2 * index + 1] ?? 0] as const);

function valuesOf(step: PicturedStep): readonly DrawnValue[] {
  const { ranks, late } = step;
  const exposed = ranks.map(({ us }) => (us.waiting + us.transfer) / us.step);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const hidden = ranks.reduce((sum, { us }) => sum + us.hidden, 0);
  const all = ranks.reduce((sum, { us }) => sum + us.hidden + us.waiting + us.transfer, 0);
  return [
    ...ranks.flatMap(({ rank, us }) =>
      (['step', 'compute', 'hidden', 'waiting', 'transfer', 'idle'] as const).map(
        (kind): DrawnValue => ({
          id: `${kind}:${rank}`,
          label: `${kind}, rank ${rank}`,
          value: us[kind],
          format: 'time',
        }),
      ),
    ),
    { id: 'exposed', label: 'exposed communication, mean of the ranks', value: mean(exposed), format: 'percent' },
    { id: 'hidden', label: 'communication that is hidden', value: hidden / all, format: 'percent' },
    { id: 'operators', label: 'operators of a rank', value: ranks[0]?.operators ?? 0, format: 'count' },
    { id: 'operatorTime', label: 'computing time per operator', value: perOperator(ranks[0]), format: 'time' },
    { id: 'lateRank', label: 'the rank that joins last', value: late?.rank ?? Number.NaN, format: 'plain' },
    { id: 'lateBy', label: 'by which it is late', value: late?.byUs ?? Number.NaN, format: 'time' },
  ];
}

const perOperator = (rank: PicturedRank | undefined): number => (rank ? rank.us.compute / rank.operators : Number.NaN);

function tableOf({ ranks }: PicturedStep): DrawnTable {
  const row = (label: string, of: (rank: PicturedRank) => string) => [label, ...ranks.map(of)];
  return {
    head: ['', ...ranks.map(({ rank }) => `rank ${rank}`)],
    rows: [
      row('the step', ({ us }) => write(us.step, 'time')),
      ...LOOKS.flatMap((kind) =>
        kind === 'all' ? [] : [row(WORDS[kind], (rank) => `${write(rank.us[kind], 'time')}, ${percentOf(rank, kind)}`)],
      ),
      row('operators', ({ operators }) => write(operators, 'count')),
      row('computing time per operator', (rank) => write(perOperator(rank), 'time')),
    ],
  };
}

export const kind: DrawingKind = {
  knobs: (about) => {
    const names = namesIn(about);
    const choice = { key: 'recording', label: 'Recording', values: names, words: ORDINALS.slice(0, names.length) };
    const look = {
      key: 'look',
      label: 'Highlight',
      values: [...LOOKS],
      words: LOOKS.map((own) => WORDS[own]),
      play: true,
    };
    return names.length > 1 ? [choice, look] : [look];
  },
  start: (about) => ({ look: 'all', ...(namesIn(about).length > 1 ? { recording: namesIn(about)[0] ?? '' } : {}) }),
  draw,
};
