/** Worked examples about pipelines: how many micro-batches close the bubble, and what each schedule leaves of it. */
import { messageUs } from '../../../sizing/collective-time';
import { keptOfPart, sum } from '../../../sizing/model';
import { partUs } from '../../../sizing/step';
import type { DrawnBar } from '../bars';
import { cut } from './memory-topics';
import { bytes, MACHINE, MODEL, own, rowsInWords, SEVERAL_RANKS, said, share, type Topic, time } from './topic';

const MICRO = [1, 2, 4, 8, 16, 32];

/** Pipelines: how many micro-batches close the bubble. */
export const pipeline: Topic = {
  knobs: [
    MODEL,
    { ...SEVERAL_RANKS, label: 'Stages', values: ['2', '4', '8', '16'] },
    own('Micro-batches', MICRO.slice(1).map(String)),
    MACHINE,
  ],
  start: { model: 'llama7b', ranks: '8', own: '16', rows: '1' },
  show({ model, machine, ranks: devices, rows, own: of }) {
    const micro = Number(of);
    const cuts = cut(model, devices, (part) => partUs(part, rows, 3, machine));
    const slowest = Math.max(...cuts.map((parts) => sum(parts, (part) => partUs(part, rows, 3, machine))));
    const bubble = (m: number) => (devices - 1) / (m + devices - 1);
    const kept = rows * sum(cuts[0] ?? [], keptOfPart);
    const border = 2 * rows * (cuts[0]?.at(-1)?.output ?? 0);
    const bars = MICRO.map(
      (m): DrawnBar => ({
        label: `${m} micro-batch${m === 1 ? '' : 'es'}`,
        parts: [
          { words: 'one device computes, per micro-batch', tone: 'forward', value: slowest },
          { words: 'one device waits, per micro-batch', tone: 'idle', value: (slowest * (devices - 1)) / m },
        ],
      }),
    );
    return {
      bars: { bars, format: 'time' },
      values: [
        share('bubble', 'bubble, (P−1)/(M+P−1)', bubble(micro)),
        time('stepTime', 'time of a step, modelled', slowest * (micro + devices - 1)),
        bytes('gpipe', 'activations of stage 0, GPipe', micro * kept),
        bytes('oneF', 'activations of stage 0, 1F1B', Math.min(micro, devices) * kept),
        bytes('border', 'across one border, per micro-batch', border),
        time(
          'sent',
          'time of that message',
          messageUs(border, devices > machine.gpusPerNode ? 'nodes' : 'GPUs', machine),
        ),
      ],
      says: `${model.label} in ${devices} stages with ${micro} micro-batches of ${rowsInWords(rows, model)}: each device waits for ${said(bubble(micro), 'percent')} of the step. Stage 0 keeps ${said(micro * kept, 'bytes')} of activations with GPipe, ${said(Math.min(micro, devices) * kept, 'bytes')} with 1F1B.`,
    };
  },
};

interface OneSchedule {
  readonly label: string;
  /** Bubble of a device, in thirds of a micro-batch's time on one stage: forward, input half, weight half alike. */
  readonly thirds: (devices: number) => number;
  /** Micro-batches of one stage whose activations the first device keeps. */
  readonly kept: (devices: number, micro: number) => number;
}

/** Qi et al., "Zero bubble pipeline parallelism" and "… with controllable memory"; Narayanan et al. */
const SCHEDULES: readonly OneSchedule[] = [
  { label: 'GPipe', thirds: (p) => 3 * (p - 1), kept: (_, m) => m },
  { label: '1F1B', thirds: (p) => 3 * (p - 1), kept: (p, m) => Math.min(p, m) },
  { label: 'interleaved, 2 stages', thirds: (p) => (3 * (p - 1)) / 2, kept: (p, m) => Math.min(m, p + (p - 1) / 2) },
  { label: 'ZB1P', thirds: (p) => p - 1, kept: (p, m) => Math.min(p, m) },
  { label: 'ZBV', thirds: () => 0, kept: (p, m) => Math.min(p, m) },
];

/** Schedules of one pipeline: what each leaves of the bubble. */
export const schedules: Topic = {
  ...pipeline,
  show({ model, machine, ranks: devices, rows, own: of }) {
    const micro = Number(of);
    const cuts = cut(model, devices, (part) => partUs(part, rows, 3, machine));
    const slowest = Math.max(...cuts.map((parts) => sum(parts, (part) => partUs(part, rows, 3, machine))));
    const kept = rows * sum(cuts[0] ?? [], keptOfPart);
    const waits = (one: OneSchedule) => (slowest * one.thirds(devices)) / 3;
    const bars = SCHEDULES.map(
      (one): DrawnBar => ({
        label: one.label,
        parts: [
          { words: 'one device computes', tone: 'forward', value: micro * slowest },
          { words: 'one device waits', tone: 'idle', value: waits(one) },
        ],
      }),
    );
    const [gpipe, oneF, , zeroBubble] = SCHEDULES;
    const bubbleOf = (one: OneSchedule | undefined) => (one ? waits(one) / (waits(one) + micro * slowest) : 0);
    const keptBy = (one: OneSchedule | undefined) => (one ? one.kept(devices, micro) * kept : 0);
    return {
      bars: { bars, format: 'time' },
      values: [
        share('bubble', 'bubble, GPipe and 1F1B', bubbleOf(oneF)),
        share('zeroBubble', 'bubble, ZB1P', bubbleOf(zeroBubble)),
        bytes('gpipe', 'activations of the first device, GPipe', keptBy(gpipe)),
        bytes('oneF', 'activations of the first device, 1F1B and ZB1P', keptBy(oneF)),
      ],
      says: `${model.label} on ${devices} devices, ${micro} micro-batches: with 1F1B a device waits for ${said(bubbleOf(oneF), 'percent')} of the step. ZB1P delays the weight halves of backward into the bubble and leaves ${said(bubbleOf(zeroBubble), 'percent')}, if forward and both halves take equally long.`,
    };
  },
};
