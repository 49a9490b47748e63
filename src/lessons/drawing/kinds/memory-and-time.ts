/**
 * The drawing `memory-and-time`: one net on more and more devices, once cut into stages and once copied for DDP. The x
 * axis is the memory of the fullest device, the y axis the time of a step. Each point is a run, timed by the simulator
 * (record/memory-and-time.ts). Drawn in the lesson on model parallelism.
 */
import { must } from '../../../base/invariant';
import { write } from '../../facts/write';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text, widthOf } from '../svg';

export interface ModeRun {
  readonly mode: string;
  readonly devices: number;
  readonly batch: number;
  /** Peak memory of the fullest device. */
  readonly peakBytes: number;
  readonly stepUs: number;
}

type Mode = 'ddp' | 'mp';
const MODES: readonly Mode[] = ['ddp', 'mp'];
const WORDS: Readonly<Record<Mode, string>> = { mp: 'Model parallel', ddp: 'DDP' };
const HUES: Readonly<Record<Mode, string>> = { mp: 'var(--rank-1)', ddp: 'var(--rank-0)' };
/** Two points may be close, so one name is above its point and the other below. */
const NAME_BELOW: Readonly<Record<Mode, number>> = { mp: -14, ddp: 24 };
const HEIGHT = 300;
const LEFT = 62;
const BASE = HEIGHT - 46;
const TOP = 22;

const runsOf = (data: unknown): readonly ModeRun[] => must(data, 'recorded runs') as readonly ModeRun[];

/** About `count` round numbers from 0 to beyond the largest value. */
function ticksTo(most: number, count: number): readonly number[] {
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = must(
    [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough),
    'a step',
  );
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

function draw({ settings, width, data }: DrawAsked): Drawn {
  const devices = Number(settings['devices']);
  const runs = runsOf(data).filter(({ batch }) => batch === Number(settings['batch']));
  const [memory, time] = [
    ticksTo(Math.max(...runs.map(({ peakBytes }) => peakBytes)), width < 520 ? 2 : 4),
    ticksTo(Math.max(...runs.map(({ stepUs }) => stepUs)), 4),
  ];
  const right = width - 26;
  const x = (bytes: number) => LEFT + ((right - LEFT) * bytes) / must(memory.at(-1), 'a tick');
  const y = (us: number) => BASE - ((BASE - TOP) * us) / must(time.at(-1), 'a tick');
  const line = (mode: Mode) => runs.filter((run) => run.mode === mode).sort((a, b) => a.devices - b.devices);
  const chosen = (mode: Mode, own = devices) =>
    must(
      line(mode).find((run) => run.devices === own),
      'a run on so many devices',
    );
  const [ddp, mp] = [chosen('ddp'), chosen('mp')];
  const says =
    devices === 1
      ? `One device: a step takes ${write(mp.stepUs, 'time')} with ${write(mp.peakBytes, 'bytes')}. DDP adds its buckets.`
      : `${devices} devices: cut into stages, the fullest device stores ${write(mp.peakBytes, 'bytes')} and a step takes ${write(mp.stepUs, 'time')}. With DDP it stores ${write(ddp.peakBytes, 'bytes')} and a step takes ${write(ddp.stepUs, 'time')}.`;
  return {
    svg: svg(
      { width, height: HEIGHT, label: says },
      ...axes(memory, time, { x, y, right }),
      ...MODES.flatMap((mode) => wayOf(mode, line(mode), devices, { x, y, right })),
    ),
    says,
    values: [
      { id: 'mpMemory', label: 'model parallel, fullest device', value: mp.peakBytes, format: 'bytes' },
      { id: 'mpTime', label: 'model parallel, time of a step', value: mp.stepUs, format: 'time' },
      { id: 'ddpMemory', label: 'DDP, fullest device', value: ddp.peakBytes, format: 'bytes' },
      { id: 'ddpTime', label: 'DDP, time of a step', value: ddp.stepUs, format: 'time' },
    ],
    table: {
      head: ['devices', ...MODES.flatMap((mode) => [`${WORDS[mode]}, memory`, `${WORDS[mode]}, time`])],
      rows: line('mp').map((run) => [
        String(run.devices),
        ...MODES.flatMap((mode) => {
          const own = chosen(mode, run.devices);
          return [write(own.peakBytes, 'bytes'), write(own.stepUs, 'time')];
        }),
      ]),
    },
  };
}

interface Axes {
  readonly x: (bytes: number) => number;
  readonly y: (us: number) => number;
  readonly right: number;
}

function axes(memory: readonly number[], time: readonly number[], { x, y, right }: Axes): readonly string[] {
  return [
    ...time.flatMap((us) => [
      shape('line', { x1: LEFT, x2: right, y1: y(us), y2: y(us), stroke: 'var(--hair)' }),
      text(write(us, 'time'), { x: LEFT - 7, y: y(us) + 4, 'text-anchor': 'end', fill: 'var(--soft)' }),
    ]),
    ...memory.flatMap((bytes) => [
      shape('line', { x1: x(bytes), x2: x(bytes), y1: TOP, y2: BASE, stroke: 'var(--hair)' }),
      text(write(bytes, 'bytes'), {
        ...{ x: x(bytes) + (bytes === memory.at(-1) ? 24 : 0), y: BASE + 17, fill: 'var(--soft)' },
        'text-anchor': bytes === memory.at(-1) ? 'end' : 'middle',
      }),
    ]),
    text('↑ time of a step', { x: 0, y: 11, fill: 'var(--soft)' }),
    text('memory of the fullest device →', { x: right, y: HEIGHT - 8, 'text-anchor': 'end', fill: 'var(--soft)' }),
  ];
}

/** Joins the runs of a mode in the order of their devices; the chosen run is large and has a name. */
function wayOf(mode: Mode, runs: readonly ModeRun[], devices: number, { x, y, right }: Axes): readonly string[] {
  return runs.flatMap(({ devices: own, peakBytes, stepUs }, index) => {
    const [cx, cy] = [x(peakBytes), y(stepUs)];
    const next = runs[index + 1];
    const isChosen = own === devices;
    const words = `${WORDS[mode]}, ${own} ${own === 1 ? 'device' : 'devices'}`;
    const left = Math.min(cx + 14, right - 1.05 * widthOf(words));
    return [
      ...(next
        ? [
            shape('line', {
              ...{ x1: cx, y1: cy, x2: x(next.peakBytes), y2: y(next.stepUs), stroke: HUES[mode] },
              ...{ 'stroke-width': 1.5, 'stroke-dasharray': '5 4' },
            }),
          ]
        : []),
      shape('circle', { cx, cy, r: 5, fill: 'var(--card)', stroke: HUES[mode], 'stroke-width': 1.8 }),
      ...(isChosen
        ? [
            shape('circle', { key: `chosen ${mode}`, cx, cy, r: 9, fill: HUES[mode] }),
            text(words, {
              ...{ key: `name ${mode}`, x: left, y: cy + NAME_BELOW[mode], 'font-weight': 600 },
            }),
          ]
        : []),
    ];
  });
}

export const kind: DrawingKind = {
  knobs: () => [
    { key: 'devices', label: 'Devices', values: ['1', '2', '4'], play: true },
    { key: 'batch', label: 'Rows in a batch', values: ['32', '128'] },
  ],
  start: () => ({ devices: '4', batch: '32' }),
  draw,
};
