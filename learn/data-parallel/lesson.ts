/** DataParallel: one process scatters, replicates, gathers and adds up, and cuda:0 is where all of it passes. */
import type { Facts } from '../../src/lessons/facts/facts';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'layers=2-8-8-1&opt=adam&hardware=transputer';
/** Two thirds of the modelled step of the figure `load` as it begins, in microseconds. */
const SHORTER_US = (2 / 3) * 13_048;

export const lesson = defineLesson({
  figures: {
    walk: {
      run: `mode=dp&world=4&${NET}&batch=32&at=2&moment=2`,
      show: ['stage'],
      controls: ['play', 'moment', { key: 'world', label: 'Devices', values: ['2', '4', '8'] }],
      caption: 'One step of DataParallel, from the batch on cuda:0 to the update on cuda:0.',
      numbers: ['devices', 'ranks', 'moments', 'bytesPerRank:0', 'bytesPerRank:1', 'bytesReceived:0'],
      starts: 'walk',
    },
    load: {
      run: `mode=dp&world=4&${NET}&batch=32&at=2&moment=27`,
      show: ['timeline'],
      controls: [
        'play',
        'moment',
        { key: 'world', label: 'Devices', values: ['1', '2', '4', '8'] },
        { key: 'mode', label: 'Wrapper', values: ['dp', 'ddp'], words: ['DataParallel', 'DDP'] },
      ],
      caption: 'The same step in time, one row per device. Where a row is empty, the device waits for cuda:0.',
      numbers: ['stepTime', 'computeTime:0', 'computeTime:1', 'idle:0', 'idle:1', 'allocated:0', 'allocated:1'],
      starts: 'rest',
    },
    chunks: {
      run: `mode=dp&world=4&${NET}&batch=8&at=1&moment=2`,
      show: ['stage'],
      controls: ['play', 'moment', { key: 'batch', label: 'Batch', values: ['5', '6', '8', '10', '32'] }],
      caption: 'Scatter cuts the batch along its first dimension, as torch.chunk does.',
      numbers: ['rowsPerRank:0', 'rowsPerRank:1', 'rowsPerRank:2', 'rowsPerRank:3'],
      starts: 'rest',
    },
  },
  predictions: {
    eight: {
      question: 'You go from four devices to eight. How long is a step of the same batch?',
      answer: { figure: 'load', of: 'stepTime', with: { world: '8' } },
      guess: { kind: 'number', from: 0, to: 30_000, step: 500 },
      why: 'It takes {stepTime}. Each device computes for half as long as before, but cuda:0 has seven copies to send and seven gradients to take in, where it had three.',
      plot: {
        figure: 'load',
        of: 'stepTime',
        over: 'world',
        label: 'devices',
        values: ['1', '2', '4', '8'],
        beside: [{ label: 'DDP', with: { mode: 'ddp' } }],
      },
    },
    last: {
      question: 'Ten rows, four devices. How many rows does the last device get?',
      answer: { figure: 'chunks', of: 'rowsPerRank:3', with: { batch: '10' } },
      guess: { kind: 'number', from: 0, to: 10, step: 1 },
      why: 'The first three get {rowsPerRank:0} each, and what remains for the last is {rowsPerRank:3}.',
    },
  },
  tasks: {
    weights: {
      figure: 'walk',
      text: 'Stop at the moment at which all weights travel.',
      hint: 'It comes after the rows and before the first layer.',
      done: sendsWeights,
      solution: [{ set: { moment: '5' } }],
    },
    shorter: {
      figure: 'load',
      text: 'Make the step at least a third shorter than the figure began with, on four devices.',
      hint: 'No number of devices does it as long as one of them serves all others.',
      done: ({ info, metrics }) => info?.worldSize === 4 && (metrics?.stepUs ?? Number.POSITIVE_INFINITY) <= SHORTER_US,
      solution: [{ set: { mode: 'ddp' } }],
    },
    jobless: {
      figure: 'chunks',
      text: 'Choose a batch with more rows than there are devices that still leaves one of them without a row.',
      hint: 'A chunk has as many rows as the batch divided by the devices, rounded up.',
      done: ({ info }) => {
        const rows = info?.batchPerRank ?? [];
        return rows.includes(0) && rows.reduce((a, b) => a + b, 0) > rows.length;
      },
      solution: [{ set: { batch: '6' } }],
    },
  },
  plots: {
    bytes: {
      figure: 'load',
      of: 'bytesPerRank:0',
      over: 'world',
      label: 'devices',
      values: ['2', '4', '8'],
      beside: [{ label: 'DDP', with: { mode: 'ddp' } }],
    },
  },
});

/** At the cursor parameters are sent. */
function sendsWeights({ trace, moment }: Facts): boolean {
  return (moment?.events ?? []).some((index) => {
    const event = trace?.events[index];
    return event?.kind === 'send' && event.payload === 'parameter';
  });
}
