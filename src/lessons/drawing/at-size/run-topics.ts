/** Worked examples about whole runs: epochs, effective batches, pipelines, evaluation, failures, a late rank. */
import { messageUs } from '../../../sizing/collective-time';
import { keptOfPart, parametersOf, sum } from '../../../sizing/model';
import { forwardUs, gradientBytes, memoryInAll, memoryOf, optimizerUs, partUs, stepOf } from '../../../sizing/step';
import type { Bar } from '../bars';
import { cut } from './memory-topics';
import {
  bytes,
  count,
  duration,
  fitNote,
  MACHINE,
  MODEL,
  own,
  RANKS,
  ROWS,
  rowsInWords,
  SEVERAL_RANKS,
  said,
  share,
  type Topic,
  time,
} from './topic';

const EPOCH_RANKS = [1, 2, 4, 8, 16, 64];

/** Why more devices: an epoch on more and more of them. */
export const scaling: Topic = {
  knobs: [MODEL, ROWS, MACHINE],
  start: { model: 'resnet50', rows: '64' },
  show({ model, machine, rows }) {
    const stepsOn = (ranks: number) => Math.ceil(model.data.rows / (ranks * rows));
    const stepOn = (ranks: number) => stepOf({ model, machine, ranks, rows });
    const epochUs = (ranks: number) => stepsOn(ranks) * stepOn(ranks).stepUs;
    const bars = EPOCH_RANKS.map((ranks): Bar => {
      const { stepUs, exposedUs } = stepOn(ranks);
      return {
        label: ranks === 1 ? '1 GPU' : `${ranks} GPUs`,
        parts: [
          { words: 'computing', tone: 'forward', value: stepsOn(ranks) * (stepUs - exposedUs) },
          { words: 'waiting for communication', tone: 'communication', value: stepsOn(ranks) * exposedUs },
        ],
      };
    });
    const faster = epochUs(1) / epochUs(64);
    return {
      bars: { bars, format: 'duration' },
      values: [
        duration('one', 'one pass over the data, 1 GPU, modelled', epochUs(1)),
        duration('eight', '8 GPUs', epochUs(8)),
        duration('sixtyFour', '64 GPUs', epochUs(64)),
        { id: 'faster', label: '64 GPUs are faster by a factor of', value: faster, format: 'times' },
        share('efficiency', 'of 64 times as fast', faster / 64),
      ],
      says: `Once over ${model.data.name} takes ${model.label} ${said(epochUs(1), 'duration')} on one GPU and ${said(epochUs(64), 'duration')} on 64: ${said(faster, 'times')} times as fast.${fitNote({ model, machine, rows })}`,
    };
  },
};

/** Samplers: rows, padding and steps of an epoch. */
export const epoch: Topic = {
  knobs: [MODEL, RANKS, ROWS],
  start: { model: 'resnet50', ranks: '64', rows: '32' },
  show({ model, ranks, rows }) {
    const all = model.data.rows;
    const each = Math.ceil(all / ranks);
    const padded = each * ranks - all;
    const steps = Math.ceil(each / rows);
    const bars = [1, 8, 64, 256].map(
      (n): Bar => ({
        label: n === 1 ? '1 rank' : `${n} ranks`,
        parts: [
          { words: 'optimiser steps in an epoch', tone: 'optimizer', value: Math.ceil(Math.ceil(all / n) / rows) },
        ],
      }),
    );
    return {
      bars: { bars, format: 'count' },
      values: [
        count('rows', 'rows of the data set', all),
        count('each', 'rows for each rank', each),
        count('padded', 'rows that are read twice', padded),
        count('steps', 'steps in an epoch', steps),
        count('lastRows', 'rows of a rank’s last batch', each - (steps - 1) * rows),
      ],
      says: `${model.data.name} in rows of one ${model.row.split(' ')[0] ?? 'row'}: ${said(all, 'count')}. Over ${ranks} rank${ranks === 1 ? '' : 's'} each reads ${said(each, 'count')}, and ${padded === 0 ? 'no row is read twice' : `${said(padded, 'count')} row${padded === 1 ? ' is' : 's are'} read twice to make the shares equal`}. An epoch has ${said(steps, 'count')} steps.`,
    };
  },
};

const TARGETS = ['256', '512', '1024', '2048', '4096'];

/** Batch size: how a large batch is gathered from what fits. */
export const effective: Topic = {
  knobs: [MODEL, own('Rows per step', TARGETS), SEVERAL_RANKS, MACHINE],
  start: { own: '512', machine: 'pcie', ranks: '4' },
  show({ model, machine, ranks, own: target }) {
    const floor = memoryInAll(memoryOf(model, 0)) + gradientBytes(model);
    const perRow = memoryOf(model, 1).activations;
    const room = machine.memoryBytes - floor;
    const fits = room < perRow ? 0 : 2 ** Math.floor(Math.log2(room / perRow));
    const share_ = Math.max(1, Math.ceil(Number(target) / ranks));
    const rows = Math.max(1, Math.min(fits, share_));
    const accumulate = Math.ceil(share_ / rows);
    const alone = { model, machine, ranks: 1, rows };
    const micro = stepOf(alone).stepUs - optimizerUs(alone);
    const { exposedUs } = stepOf({ ...alone, ranks });
    const optimizer = optimizerUs(alone);
    const barOf = (label: string, syncs: number): Bar => ({
      label,
      parts: [
        { words: 'forward and backward', tone: 'backward', value: accumulate * micro },
        { words: 'all-reduce after backward', tone: 'communication', value: syncs * exposedUs },
        { words: 'optimiser', tone: 'optimizer', value: optimizer },
      ],
    });
    const sent = (2 * (ranks - 1) * gradientBytes(model)) / ranks;
    return {
      bars: { bars: [barOf('every micro-batch', accumulate), barOf('no_sync', 1)], format: 'time' },
      values: [
        count('fits', 'rows that fit beside weights and states', fits),
        count('accumulate', 'micro-batches per step', accumulate),
        bytes('sent', 'bytes that a rank sends, no_sync', sent),
        bytes('sentEach', 'without no_sync', accumulate * sent),
        time('saved', 'time saved per step, modelled', (accumulate - 1) * exposedUs),
      ],
      says:
        fits === 0
          ? `Not one row of ${model.label} fits on a GPU of ${said(machine.memoryBytes, 'bytes')}: weights, gradients, buckets and states alone take ${said(floor, 'bytes')}.`
          : `${said(Number(target), 'count')} rows per step on ${ranks} ranks, of which ${said(rows, 'count')} go through a GPU at a time: ${said(accumulate, 'count')} micro-batch${accumulate === 1 ? '' : 'es'}. With no_sync a rank sends ${said(sent, 'bytes')} per step${accumulate === 1 ? '' : `, without it ${said(accumulate * sent, 'bytes')}`}.`,
    };
  },
};

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
      (m): Bar => ({
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
      (one): Bar => ({
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

/** Rows of the validation set: ImageNet's 50,000 pictures; of texts a thousandth of the data. */
const heldOut = (id: string, rows: number): number => (id === 'resnet50' ? 50_000 : Math.ceil(rows / 1000));

/** Your script: evaluating on one rank or on all, and what a checkpoint weighs. */
export const evaluating: Topic = {
  knobs: [MODEL, SEVERAL_RANKS, MACHINE],
  start: { model: 'resnet50', rows: '32' },
  show({ model, machine, ranks, rows }) {
    const held = heldOut(model.id, model.data.rows);
    const on = (n: number) => Math.ceil(held / n / rows) * forwardUs({ model, machine, rows });
    const saved = 4 * (1 + model.states) * parametersOf(model);
    return {
      bars: {
        bars: [
          { label: 'rank 0 alone', parts: [{ words: 'evaluating', tone: 'forward', value: on(1) }] },
          { label: `all ${ranks} ranks`, parts: [{ words: 'evaluating', tone: 'forward', value: on(ranks) }] },
        ],
        format: 'duration',
      },
      values: [
        count('held', 'rows held out', held),
        duration('alone', 'evaluating on rank 0, modelled', on(1)),
        duration('all', 'on all ranks, modelled', on(ranks)),
        bytes('checkpoint', 'checkpoint: weights and optimiser states', saved),
        bytes('tooMany', 'written if every rank saves', ranks * saved),
      ],
      says: `Evaluating ${said(held, 'count')} held-out rows of ${model.data.name} takes rank 0 alone ${said(on(1), 'duration')}, while ${ranks - 1} GPUs wait; all ranks need ${said(on(ranks), 'duration')}. A checkpoint has ${said(saved, 'bytes')}.`,
    };
  },
};

/** Meta, "The Llama 3 herd of models" (2024), section 3.3.4: 419 unexpected interruptions in 54 days on 16,384 GPUs. */
const GPU_HOURS_PER_FAILURE = (16_384 * 54 * 24) / 419;
const FLEETS = ['8', '64', '512', '2048', '16384'];
/** From the failure to the first new step; and what one node writes to shared storage. */
const RESTART_US = 10 * 60e6;
const WRITE_BYTES_PER_SECOND = 2e9;
const HOUR_US = 3600e6;

/** When it goes wrong: how often to save. */
export const failures: Topic = {
  knobs: [MODEL, { key: 'ranks', label: 'GPUs', values: FLEETS }],
  start: { model: 'llama70b', ranks: '2048' },
  show({ model, ranks }) {
    const saved = 4 * (1 + model.states) * parametersOf(model);
    const writeUs = (1e6 * saved) / WRITE_BYTES_PER_SECOND;
    const lossAt = (gpus: number) => {
      const between = (GPU_HOURS_PER_FAILURE / gpus) * HOUR_US;
      // Young (1974): the interval that loses least.
      const interval = Math.sqrt(2 * writeUs * between);
      return { between, interval, lost: writeUs / interval + interval / 2 / between + RESTART_US / between };
    };
    const { between, interval, lost } = lossAt(ranks);
    const bars = FLEETS.map(
      (gpus): Bar => ({
        label: `${said(Number(gpus), 'count')} GPUs`,
        parts: [
          { words: 'GPU time lost, at the best interval', tone: 'communication', value: lossAt(Number(gpus)).lost },
        ],
      }),
    );
    return {
      bars: { bars, format: 'percent' },
      values: [
        duration('between', 'between two interruptions', between),
        bytes('checkpoint', 'checkpoint: weights and optimiser states', saved),
        duration('write', 'time to write it', writeUs),
        duration('interval', 'best time between checkpoints', interval),
        share('lost', 'GPU time lost in all', lost),
      ],
      says: `At the rate that Meta reports for Llama 3, ${said(ranks, 'count')} GPUs are interrupted every ${said(between, 'duration')}. A checkpoint of ${model.label} has ${said(saved, 'bytes')} and takes ${said(writeUs, 'duration')} to write at 2 GB/s: save every ${said(interval, 'duration')}, and lose ${said(lost, 'percent')} of the time.`,
    };
  },
};

/** Reading a trace: what one late rank costs. */
export const late: Topic = {
  knobs: [
    MODEL,
    own('Rank 0 is late by', ['0', '5', '20', '50', '200'], ['nothing', '5 ms', '20 ms', '50 ms', '200 ms']),
    SEVERAL_RANKS,
    ROWS,
    MACHINE,
  ],
  start: { own: '20' },
  show({ model, machine, ranks, rows, own: ms }) {
    const asked = { model, machine, ranks, rows };
    const { stepUs, exposedUs } = stepOf(asked);
    const lateUs = 1000 * Number(ms);
    const wasted = ((ranks - 1) * lateUs) / (ranks * (stepUs + lateUs));
    return {
      bars: {
        bars: [
          {
            label: 'rank 0',
            parts: [
              { words: 'late', tone: 'idle', value: lateUs },
              { words: 'computing', tone: 'forward', value: stepUs - exposedUs },
              { words: 'communication in the open', tone: 'communication', value: exposedUs },
            ],
          },
          {
            label: 'each other rank',
            parts: [
              { words: 'computing', tone: 'forward', value: stepUs - exposedUs },
              { words: 'communication in the open', tone: 'communication', value: exposedUs },
              { words: 'waiting for rank 0', tone: 'again', value: lateUs },
            ],
          },
        ],
        format: 'time',
      },
      values: [
        time('stepTime', 'step without the delay, modelled', stepUs),
        time('exposed', 'of it communication in the open', exposedUs),
        share('wasted', 'GPU time that waits for rank 0', wasted),
        duration('perDay', 'GPU time lost per day, all ranks', wasted * ranks * 24 * HOUR_US),
      ],
      says:
        lateUs === 0
          ? `A step of ${model.label} takes ${said(stepUs, 'time')} on ${ranks} ranks, ${said(exposedUs, 'time')} of which is communication that nothing hides.${fitNote(asked)}`
          : `One rank that begins ${ms} ms late makes ${ranks - 1} other${ranks === 2 ? '' : 's'} wait ${ms} ms in every step: ${said(wasted, 'percent')} of all GPU time, ${said(wasted * ranks * 24 * HOUR_US, 'duration')} of GPU time per day.${fitNote(asked)}`,
    };
  },
};
