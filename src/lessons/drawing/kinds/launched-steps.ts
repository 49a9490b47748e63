/**
 * The drawing `launched-steps`: the steps of a recording of a GPU, on a lane of the CPU that launches them and on a
 * lane of the GPU that runs their kernels. One knob chooses the recording. Drawn in the lesson on traces.
 */
import { must } from '../../../base/invariant';
import { lookup } from '../../../base/lookup';
import { write } from '../../facts/write';
import type { DrawAsked, DrawingKind, Drawn } from '../drawing';
import { shape, svg, text } from '../svg';

export interface LaunchedSteps {
  readonly name: string;
  /** Microseconds from the first marked step, as all times here. */
  readonly endUs: number;
  /** Start and end of kernels that were launched before the first marked step. */
  readonly before: readonly number[];
  readonly steps: readonly LaunchedStep[];
}

interface LaunchedStep {
  readonly step: number;
  /** Where the CPU launches the step: ProfilerStep#N. */
  readonly cpu: readonly [fromUs: number, toUs: number];
  /** From the end of the previous step's kernels to the end of this step's. */
  readonly gpu: readonly [fromUs: number, toUs: number];
  readonly kernels: readonly number[];
  readonly busyUs: number;
  /** Number of kernels. */
  readonly count: number;
}

const LANE = 26;
const COLOURS = ['var(--phase-forward)', 'var(--phase-comm)', 'var(--phase-forward-edge)'];
const WORDS: Readonly<Record<string, string>> = { 'cuda-ahead': 'large MLP', 'cuda-small': 'small layers' };
const namesIn = (about: string): readonly string[] => about.split(',');

function draw({ settings, width, about, data }: DrawAsked): Drawn {
  const name = settings['recording'] ?? namesIn(about)[0];
  const all = must(data, 'recordings') as readonly LaunchedSteps[];
  const own = must(
    all.find((one) => one.name === name),
    'a recording',
  );
  const step = must(own.steps[Math.floor(own.steps.length / 2)], 'a step');
  const [launch, takes] = [step.cpu[1] - step.cpu[0], step.gpu[1] - step.gpu[0]];
  const lag = step.gpu[1] - step.cpu[1];
  const says =
    `Step ${step.step}: the CPU launches it in ${write(launch, 'time')}. ` +
    `On the GPU it takes ${write(takes, 'time')}, and kernels run for ${write(step.busyUs, 'time')} of that.`;
  return {
    svg: picture(own, width, says),
    says,
    values: [
      { id: 'launch', label: 'the CPU launches the step in', value: launch, format: 'time' },
      { id: 'step', label: 'the step takes, on the GPU', value: takes, format: 'time' },
      { id: 'kernelTime', label: 'kernels run for', value: step.busyUs, format: 'time' },
      { id: 'busy', label: 'share of the step in which kernels run', value: step.busyUs / takes, format: 'percent' },
      { id: 'kernels', label: 'kernels of the step', value: step.count, format: 'count' },
      { id: 'lag', label: 'the GPU finishes the step later than the CPU by', value: Math.max(0, lag), format: 'time' },
    ],
  };
}

function picture({ steps, before, endUs }: LaunchedSteps, width: number, label: string): string {
  const x = (us: number) => ((width - 2) * us) / endUs;
  const bar = (from: number, to: number, y: number, fill: string) =>
    shape('rect', { x: x(from), y, width: Math.max(0.6, x(to) - x(from)), height: LANE, fill });
  const [cpu, gpu] = [20, 20 + LANE + 30];
  const bars = (when: readonly number[], y: number, fill: string) =>
    Array.from({ length: when.length / 2 }, (_, k) => bar(when[2 * k] ?? 0, when[2 * k + 1] ?? 0, y, fill));
  return svg(
    { width, height: gpu + LANE + 22, label },
    text('CPU launches the steps', { x: 0, y: cpu - 6, 'font-weight': 600 }),
    text('GPU runs their kernels', { x: 0, y: gpu - 6, 'font-weight': 600 }),
    shape('rect', { x: 0, y: cpu + LANE / 2 - 1, width: width - 2, height: 2, fill: 'var(--line)' }),
    shape('rect', { x: 0, y: gpu + LANE / 2 - 1, width: width - 2, height: 2, fill: 'var(--line)' }),
    ...bars(before, gpu, 'var(--line)'),
    ...steps.flatMap(({ step, cpu: mark, gpu: span, kernels }, index) => {
      const fill = COLOURS[index % COLOURS.length] ?? '';
      const words = `step ${step}`;
      return [
        bar(mark[0], mark[1], cpu, fill),
        ...bars(kernels, gpu, fill),
        text(words, { x: (x(span[0]) + x(span[1])) / 2, y: gpu + LANE + 16, 'text-anchor': 'middle' }),
      ];
    }),
    text('0', { x: 0, y: gpu + LANE + 16, fill: 'var(--soft)' }),
    text(write(endUs, 'time'), { x: width - 2, y: gpu - 6, 'text-anchor': 'end', fill: 'var(--soft)' }),
  );
}

export const kind: DrawingKind = {
  knobs: (about) => {
    const values = namesIn(about);
    return [{ key: 'recording', label: 'Net', values, words: values.map((name) => lookup(WORDS, name) ?? name) }];
  },
  start: (about) => ({ recording: namesIn(about)[0] ?? '' }),
  draw,
};
