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
      caption: 'The same step over time, with one line per device. In the empty parts of its line a device waits.',
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
      question: 'You go from four devices to eight and keep the batch. How long does a step take?',
      answer: { figure: 'load', of: 'stepTime', with: { world: '8' } },
      guess: { kind: 'number', from: 0, to: 30_000, step: 500 },
      why: 'It takes {stepTime}. Each device computes for half as long as before. But cuda:0 now sends seven copies of the weights instead of three, and receives seven sets of gradients.',
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
      why: 'The first three get {rowsPerRank:0} each, and {rowsPerRank:3} is left for the last.',
    },
  },
  tasks: {
    weights: {
      figure: 'walk',
      text: 'Stop at the moment in which cuda:0 sends all weights.',
      hint: 'The weights are sent after the rows and before the first layer runs.',
      done: sendsWeights,
      solution: [{ set: { moment: '5' } }],
    },
    shorter: {
      figure: 'load',
      text: 'Stay on four devices, and make the step at least a third shorter than it was at the start.',
      hint: 'More or fewer devices do not help as long as cuda:0 sends the weights to all others. What else can you change?',
      done: ({ info, metrics }) => info?.worldSize === 4 && (metrics?.stepUs ?? Number.POSITIVE_INFINITY) <= SHORTER_US,
      solution: [{ set: { mode: 'ddp' } }],
    },
    jobless: {
      figure: 'chunks',
      text: 'Find a batch that has more rows than there are devices and still leaves one device without a row.',
      hint: 'The size of a chunk is the number of rows divided by the number of devices, rounded up.',
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
