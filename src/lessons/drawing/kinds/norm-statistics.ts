/**
 * The drawing `norm-statistics`: the samples of every rank before and after a batch norm, with the normal curve of the
 * statistics that each rank uses. With SyncBatchNorm the four curves become one. All numbers come from two runs
 * (record/norm-statistics.ts). Drawn in the lesson on what else must agree.
 */
import { must } from '../../../base/invariant';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text } from '../svg';

/** One channel of the batch norm on one rank. */
export interface NormedRank {
  /** One value per sample. */
  readonly input: readonly number[];
  readonly output: readonly number[];
  /** The rank subtracted the mean and divided by the deviation. */
  readonly mean: number;
  readonly deviation: number;
}

export interface Normed {
  /** The knob's value, '0' or '1'. */
  readonly sync: string;
  /** [rank][channel] */
  readonly ranks: readonly (readonly NormedRank[])[];
}

const HILL = 92;
const ROW = 17;
const GAP = 92;
const TOP = 26;
const POINTS = 48;
const SIDE = 12;

const normedOf = (data: unknown): readonly Normed[] => must(data, 'recorded runs') as readonly Normed[];
const tenth = (value: number): number => Math.round(10 * value) / 10;
const hue = (rank: number): string => `var(--rank-${rank})`;
const share = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

type Scale = (value: number) => number;

function scaleOf(from: number, to: number, width: number): Scale {
  const room = 0.04 * (to - from);
  return (value) => tenth(SIDE + ((width - 2 * SIDE) * (value - from + room)) / (to - from + 2 * room));
}

/** The normal curve of a rank's statistics: as high as it is narrow, at most `HILL`. */
function hill({ mean, deviation }: NormedRank, rank: number, x: Scale, narrowest: number): string {
  const height = (HILL * narrowest) / deviation;
  const points = Array.from({ length: POINTS + 1 }, (_, index) => {
    const z = -2.6 + (5.2 * index) / POINTS;
    return `${index === 0 ? 'M' : 'L'}${x(mean + z * deviation)} ${tenth(TOP + HILL - height * Math.exp((-z * z) / 2))}`;
  });
  return shape('path', {
    ...{ d: points.join(''), fill: hue(rank), 'fill-opacity': 0.12, stroke: hue(rank), 'stroke-width': 2 },
  });
}

function draw({ settings, width, data }: DrawAsked): Drawn {
  const all = normedOf(data);
  const channel = Number(settings['channel']) - 1;
  const isSync = settings['sync'] === '1';
  const of = (sync: string): readonly NormedRank[] =>
    must(
      all.find((own) => own.sync === sync),
      'a recorded run',
    ).ranks.map((channels) => must(channels[channel], 'a channel'));
  const [own, both] = [of('0'), of('1')];
  const ranks = isSync ? both : own;
  // Both states share the axes, so that only changes of the data move anything.
  const reach = [...own, ...both].flatMap(({ mean, deviation }) => [mean - 2.6 * deviation, mean + 2.6 * deviation]);
  const x = scaleOf(Math.min(...reach), Math.max(...reach), width);
  const outputs = [...own, ...both].flatMap(({ output }) => output);
  const y = scaleOf(Math.min(...outputs), Math.max(...outputs), width);
  const narrowest = Math.min(...[...own, ...both].map(({ deviation }) => deviation));
  const inputsAt = (rank: number): number => TOP + HILL + 12 + rank * ROW;
  const outputsAt = (rank: number): number => inputsAt(ranks.length) + GAP + rank * ROW;
  const means = ranks.map(({ mean }) => mean);
  const ownMeans = own.map(({ mean }) => mean);
  const within = share(own.map(({ deviation }) => deviation ** 2));
  const between = share(ownMeans.map((mean) => (mean - share(ownMeans)) ** 2));
  const apart = Math.max(...means) - Math.min(...means);
  const says = isSync
    ? 'Every rank subtracts the same mean and divides by the same deviation, those of all samples. Equal inputs get equal outputs on all ranks.'
    : 'Every rank subtracts its own mean and divides by its own deviation. Equal inputs on two ranks get different outputs.';
  const label = (words: string, at: number) => text(words, { x: 0, y: at, fill: 'var(--soft)' });
  return {
    svg: svg(
      { width, height: outputsAt(ranks.length) + 4, label: says },
      label(isSync ? 'One mean, one deviation: all ranks use this curve' : 'Mean and deviation of each rank', 12),
      ...(isSync ? ranks.slice(0, 1) : ranks).map((rank, index) => hill(rank, index, x, narrowest)),
      ...ranks.flatMap(({ input, output }, rank) =>
        input.map((value, sample) =>
          shape('line', {
            ...{
              key: `way ${rank} ${sample}`,
              x1: x(value),
              y1: inputsAt(rank) + 5,
              x2: y(must(output[sample], 'output')),
            },
            ...{ y2: outputsAt(rank) - 5, stroke: hue(rank), 'stroke-opacity': 0.45, 'stroke-width': 1 },
          }),
        ),
      ),
      ...ranks.flatMap(({ input, output }, rank) => [
        ...input.map((value) => shape('circle', { cx: x(value), cy: inputsAt(rank), r: 4.5, fill: hue(rank) })),
        ...output.map((value, sample) =>
          shape('circle', { key: `out ${rank} ${sample}`, cx: y(value), cy: outputsAt(rank), r: 4.5, fill: hue(rank) }),
        ),
      ]),
      ...legend(ranks.length, width),
    ),
    says,
    values: [
      { id: 'apart', label: 'means in use are apart by', value: apart, format: 'small' },
      { id: 'within', label: 'mean of the ranks’ own variances', value: within, format: 'small' },
      { id: 'between', label: 'variance of the ranks’ own means', value: between, format: 'small' },
      { id: 'total', label: 'variance of all samples', value: must(both[0], 'a rank').deviation ** 2, format: 'small' },
    ],
  };
}

function legend(ranks: number, width: number): readonly string[] {
  const each = 62;
  const from = width - ranks * each + 6;
  return width < 520
    ? []
    : Array.from({ length: ranks }, (_, rank) => [
        shape('circle', { cx: from + rank * each, cy: 8, r: 4.5, fill: hue(rank) }),
        text(`rank ${rank}`, { x: from + rank * each + 8, y: 12, fill: 'var(--soft)' }),
      ]).flat();
}

export const kind: DrawingKind = {
  knobs: () => [
    { key: 'sync', label: 'SyncBatchNorm', values: ['0', '1'], words: ['no', 'yes'] },
    { key: 'channel', label: 'Channel', values: ['1', '2', '3', '4', '5', '6', '7', '8'] },
  ],
  start: () => ({ sync: '0', channel: '1' }),
  draw,
};
