/**
 * The drawing `memory-over-time`: live memory of one device during a step, kernel by kernel, for runs that differ in
 * one setting. The chosen run is an area, the run that keeps everything a dashed line; below them are the device's
 * computations over time. The runs are read at build (record/memory-over-time.ts). Drawn in the lesson on
 * checkpointing.
 */
import { must } from '../../../base/invariant';
import { write } from '../../facts/write';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text, widthOf } from '../svg';

/** One run; times in microseconds from the start of the step, memory in bytes. */
export interface MemoryCurve {
  /** The value of the knob: 'none', '4'. */
  readonly setting: string;
  readonly stepUs: number;
  /** Bytes that stay from step to step. */
  readonly floor: number;
  /** For each kernel: start, live bytes while it runs, and its kind. */
  readonly kernels: readonly (readonly [startUs: number, bytes: number, what: StepWork])[];
}

export type StepWork = 'forward' | 'again' | 'backward' | 'optimizer';

const WORDS: Readonly<Record<StepWork, string>> = {
  forward: 'forward',
  again: 'forward, again',
  backward: 'backward',
  optimizer: 'optimizer.step()',
};
const FILL: Readonly<Record<StepWork, string>> = {
  forward: 'var(--phase-forward)',
  again: 'var(--phase-forward-edge)',
  backward: 'var(--phase-backward)',
  optimizer: 'var(--phase-step)',
};
const PLOT_HEIGHT = 190;
const STRIP = 16;
const TOP = 54;
/** The run that keeps everything. */
const ALL = 'none';

const curvesOf = (data: unknown): readonly MemoryCurve[] => must(data, 'recorded runs') as readonly MemoryCurve[];
const peakOf = ({ kernels }: MemoryCurve): number => Math.max(...kernels.map(([, bytes]) => bytes));
const endOf = ({ kernels, stepUs }: MemoryCurve, index: number): number => kernels[index + 1]?.[0] ?? stepUs;

/** Time that the device spends on forward kernels in backward. */
const againUs = (curve: MemoryCurve): number =>
  curve.kernels.reduce((sum, [startUs, , what], index) => {
    return what === 'again' ? sum + endOf(curve, index) - startUs : sum;
  }, 0);

function draw({ settings, width, data }: DrawAsked): Drawn {
  const curves = curvesOf(data);
  const all = must(
    curves.find(({ setting }) => setting === ALL),
    'the run that keeps everything',
  );
  const chosen = curves.find(({ setting }) => setting === settings['checkpoint']) ?? all;
  const longest = Math.max(...curves.map(({ stepUs }) => stepUs));
  const top = Math.max(...curves.map(peakOf));
  const peak = peakOf(chosen);
  const x = (us: number) => ((width - 8) * us) / longest;
  const y = (bytes: number) => TOP + PLOT_HEIGHT * (1 - bytes / top);
  const base = TOP + PLOT_HEIGHT;
  const line = (curve: MemoryCurve) =>
    curve.kernels
      .map(
        ([startUs, bytes], index) =>
          `${index === 0 ? 'M' : 'L'}${at(x(startUs))} ${at(y(bytes))}H${at(x(endOf(curve, index)))}`,
      )
      .join('');
  const end = at(x(chosen.stepUs));
  const saved = 1 - (peak - chosen.floor) / (peakOf(all) - all.floor);
  const longer = chosen.stepUs / all.stepUs - 1;
  const says =
    chosen === all
      ? `All activations are kept: the peak is ${write(peak, 'bytes')}, and a step takes ${write(chosen.stepUs, 'time')}.`
      : `${chosen.setting} segments: the peak is ${write(peak, 'bytes')}. The hill on the floor is ${write(saved, 'percent')} lower, and the step ${write(longer, 'percent')} longer.`;
  return {
    svg: svg(
      { width, height: base + STRIP + 26, label: says },
      ...legend(width),
      shape('path', { key: 'area', d: `${line(chosen)}V${at(base)}H0Z`, fill: 'var(--memory-activation)' }),
      shape('rect', {
        x: 0,
        y: y(chosen.floor),
        width: x(chosen.stepUs),
        height: base - y(chosen.floor),
        fill: 'var(--memory-parameter)',
      }),
      shape('path', {
        d: line(all),
        fill: 'none',
        stroke: 'var(--soft)',
        'stroke-width': 1.5,
        'stroke-dasharray': '4 3',
      }),
      shape('line', { key: 'peak', x1: 0, x2: end, y1: y(peak), y2: y(peak), stroke: 'var(--bad)', 'stroke-width': 1 }),
      ...chosen.kernels.map(([startUs, , what], index) =>
        shape('rect', {
          ...{
            x: x(startUs),
            y: base + 3,
            height: STRIP,
            width: Math.max(0.5, x(endOf(chosen, index)) - x(startUs) - 0.4),
          },
          fill: FILL[what],
        }),
      ),
      text(`peak ${write(peak, 'bytes')}`, { key: 'words', x: 4, y: y(peak) - 5, 'font-weight': 600 }),
      text(write(chosen.stepUs, 'time'), {
        key: 'step',
        x: end,
        y: base + STRIP + 19,
        'text-anchor': 'end',
        'font-weight': 600,
      }),
      text('0', { x: 0, y: base + STRIP + 19, fill: 'var(--soft)' }),
    ),
    says,
    values: [
      { id: 'peak', label: 'peak', value: peak, format: 'bytes' },
      { id: 'saved', label: 'activations saved at the peak', value: saved, format: 'percent' },
      { id: 'again', label: 'forward computed again', value: againUs(chosen), format: 'time' },
      { id: 'stepTime', label: 'time of a step, modelled', value: chosen.stepUs, format: 'time' },
      { id: 'longer', label: 'the step is longer by', value: longer, format: 'percent' },
    ],
    table: {
      head: ['segments', 'peak', 'forward computed again', 'time of a step'],
      rows: curves.map((curve) => [
        curve.setting,
        write(peakOf(curve), 'bytes'),
        write(againUs(curve), 'time'),
        write(curve.stepUs, 'time'),
      ]),
    },
  };
}

const at = (value: number): number => Math.round(10 * value) / 10;

function legend(width: number): readonly string[] {
  const entries: readonly (readonly [string, string])[] = [
    ['floor', 'var(--memory-parameter)'],
    ['activations and δ', 'var(--memory-activation)'],
    ...(['forward', 'again', 'backward'] as const).map((what) => [WORDS[what], FILL[what]] as const),
  ];
  let [x, y] = [0, 0];
  return entries.flatMap(([words, fill]) => {
    const wide = 17 + widthOf(words) + 14;
    if (x > 0 && x + wide > width) [x, y] = [0, y + 20];
    const marks = [
      shape('rect', { x, y: y + 4, width: 12, height: 12, rx: 2, fill, stroke: 'var(--line)' }),
      text(words, { x: x + 17, y: y + 14.5, fill: 'var(--soft)' }),
    ];
    x += wide;
    return marks;
  });
}

export const kind: DrawingKind = {
  knobs: () => [{ key: 'checkpoint', label: 'Segments', values: ['none', '2', '3', '4', '6', '8', '12'], play: true }],
  start: () => ({ checkpoint: '4' }),
  draw,
};
