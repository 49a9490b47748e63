/** Worked examples about runs that go wrong: how often to save, and what one late rank costs. */
import { parametersOf } from '../../../sizing/model';
import { stepOf } from '../../../sizing/step';
import type { DrawnBar } from '../bars';
import {
  bytes,
  duration,
  fitNote,
  MACHINE,
  MODEL,
  own,
  ROWS,
  SEVERAL_RANKS,
  said,
  share,
  type Topic,
  time,
} from './topic';

/** Meta, "The Llama 3 herd of models" (2024), section 3.3.4: 419 unexpected interruptions in 54 days on 16,384 GPUs. */
const GPU_HOURS_PER_FAILURE = (16_384 * 54 * 24) / 419;
const FLEETS = ['8', '64', '512', '2048', '16384'];
/** Time from the failure to the first new step, and the rate at which one node writes to shared storage. */
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
      // Young (1974): the interval that loses the least time.
      const interval = Math.sqrt(2 * writeUs * between);
      return { between, interval, lost: writeUs / interval + interval / 2 / between + RESTART_US / between };
    };
    const { between, interval, lost } = lossAt(ranks);
    const bars = FLEETS.map(
      (gpus): DrawnBar => ({
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
              { words: 'exposed communication', tone: 'communication', value: exposedUs },
            ],
          },
          {
            label: 'each other rank',
            parts: [
              { words: 'computing', tone: 'forward', value: stepUs - exposedUs },
              { words: 'exposed communication', tone: 'communication', value: exposedUs },
              { words: 'waiting for rank 0', tone: 'again', value: lateUs },
            ],
          },
        ],
        format: 'time',
      },
      values: [
        time('stepTime', 'step without the delay, modelled', stepUs),
        time('exposed', 'exposed communication of the step', exposedUs),
        share('wasted', 'GPU time that waits for rank 0', wasted),
        duration('perDay', 'GPU time lost per day, all ranks', wasted * ranks * 24 * HOUR_US),
      ],
      says:
        lateUs === 0
          ? `A step of ${model.label} takes ${said(stepUs, 'time')} on ${ranks} ranks, ${said(exposedUs, 'time')} of which is exposed communication.${fitNote(asked)}`
          : `One rank that begins ${ms} ms late makes ${ranks - 1} other${ranks === 2 ? '' : 's'} wait ${ms} ms in every step: ${said(wasted, 'percent')} of all GPU time, ${said(wasted * ranks * 24 * HOUR_US, 'duration')} of GPU time per day.${fitNote(asked)}`,
    };
  },
};
