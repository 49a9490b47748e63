/** Worked examples about pipelines: how many micro-batches close the bubble, and how large it is with each schedule. */
import { messageUs } from '../../../sizing/collective-time';
import { keptOfPart, sum } from '../../../sizing/model';
import { partUs } from '../../../sizing/step';
import type { DrawnBar } from '../bars';
import { cut } from './memory-topics';
import { bytes, MACHINE, MODEL, own, ROWS, rowsInWords, SEVERAL_RANKS, said, share, type Topic, time } from './topic';

const MICRO = [1, 2, 4, 8, 16, 32];

/** Pipelines: how many micro-batches close the bubble. */
export const pipeline: Topic = {
  knobs: [
    MODEL,
    { ...SEVERAL_RANKS, label: 'Stages', values: ['2', '4', '8', '16'] },
    own('Micro-batches', MICRO.slice(1).map(String)),
    { ...ROWS, label: 'Rows per micro-batch', values: ['1', '2', '4', '8'] },
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
  readonly id: string;
  readonly label: string;
  /** How long a device waits. Unit: a third of a micro-batch's time on a device, since F, I and W take equally long. */
  readonly waits: (devices: number, micro: number) => number;
}

/**
 * The formulas of schedules/closed-form.ts, also for fewer micro-batches than devices; a test compares them with
 * timing.ts.
 */
const SCHEDULES: readonly OneSchedule[] = [
  { id: 'bubble', label: 'GPipe and 1F1B', waits: (p) => 3 * (p - 1) },
  { id: 'interleaved', label: 'interleaved, 2 stages', waits: (p, m) => (3 * (p - 1 + Math.max(0, p - m))) / 2 },
  { id: 'zeroBubble', label: 'ZB1P', waits: (p, m) => p - 1 + Math.max(0, p - m) },
  { id: 'zbv', label: 'ZBV', waits: (p, m) => Math.max((p - 1) / 2, 2 * p - 1 - m) },
];

/** Schedules of one pipeline: the bubble that each leaves. */
export const schedules: Topic = {
  ...pipeline,
  show({ model, machine, ranks: devices, rows, own: of }) {
    const micro = Number(of);
    const cuts = cut(model, devices, (part) => partUs(part, rows, 3, machine));
    const slowest = Math.max(...cuts.map((parts) => sum(parts, (part) => partUs(part, rows, 3, machine))));
    const kept = rows * sum(cuts[0] ?? [], keptOfPart);
    const found = SCHEDULES.map(({ id, label, waits }) => {
      const waitUs = (slowest * waits(devices, micro)) / 3;
      return { id, label, waitUs, bubble: waitUs / (waitUs + micro * slowest) };
    });
    const bars = found.map(
      ({ label, waitUs }): DrawnBar => ({
        label,
        parts: [
          { words: 'one device computes', tone: 'forward', value: micro * slowest },
          { words: 'one device waits', tone: 'idle', value: waitUs },
        ],
      }),
    );
    const [oneF, , zeroBubble, zbv] = found.map(({ bubble }) => said(bubble, 'percent'));
    return {
      bars: { bars, format: 'time' },
      values: [
        ...found.map(({ id, label, bubble }) => share(id, `bubble, ${label}`, bubble)),
        bytes('gpipe', 'activations of the first device, GPipe', micro * kept),
        bytes('oneF', 'activations of the first device, 1F1B and ZB1P', Math.min(micro, devices) * kept),
      ],
      says: `${model.label} on ${devices} devices, ${micro} micro-batches of ${rowsInWords(rows, model)}: with 1F1B a device waits for ${oneF} of the step. ZB1P moves the weight halves of the backward passes into the bubble and leaves ${zeroBubble}, ZBV leaves ${zbv}, if forward and both halves take equally long.`,
    };
  },
};
