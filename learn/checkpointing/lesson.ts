/** Activation checkpointing: what forward need not keep, what computing it again costs, and when that costs nothing. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const wide = (layers: number): string => `layers=2-${Array(layers).fill('32').join('-')}-1`;
/** Deep, so that there is much to keep; segments of an even number of modules end behind a Tanh. */
const DEEP = `mode=single&${wide(24)}&opt=sgd&batch=256&samples=512&test=0&hardware=transputer`;
const SEGMENTS = ['none', '2', '3', '4', '6', '8', '12'];

const number = (facts: Facts, of: Parameters<typeof measure>[1]): number => measure(facts, of) ?? Number.NaN;

/** Peak memory of the deep net when everything is kept, bytes: claims.test.ts holds it. */
const KEPT_ALL = 1_057_024;
/** The same with four segments. */
const WITH_FOUR = 565_504;
/** What a step over Ethernet takes when everything is kept, microseconds: claims.test.ts holds it. */
const OVER_ETHERNET_US = 1795;

const segmentsOf = ({ info }: Facts): number | undefined => info?.config.checkpointSegments;

export const lesson = defineLesson({
  figures: {
    walk: {
      run: 'mode=single&layers=2-8-8-8-8-8-8-1&opt=sgd&batch=32&hardware=transputer&checkpoint=2&at=1&moment=14',
      show: ['stage'],
      controls: ['play', 'moment', { key: 'checkpoint', label: 'Segments', values: ['none', '2', '3'] }],
      caption: 'One step of a net in two segments. The bar of cuda:0 shows what is in memory at this moment, by kind.',
      numbers: ['moments', 'kernels', 'liveMemory', 'allocated', 'activationMemory', 'loss:1'],
      starts: 'walk',
    },
    trade: {
      run: `${DEEP}&checkpoint=4&at=1&moment=53`,
      show: ['timeline', 'memory'],
      controls: [
        'play',
        { key: 'checkpoint', label: 'Segments', values: SEGMENTS },
        { key: 'batch', label: 'Batch', values: ['256', '512'] },
      ],
      caption: 'A deep net on the slow machine: the kernels of one step over time, and the memory that they need.',
      numbers: [
        'allocated',
        'activationMemory',
        'heldMemory',
        'kernels',
        'phaseTime:forward',
        'phaseTime:backward',
        'stepTime',
      ],
      starts: 'rest',
    },
    free: {
      run: `mode=ddp&world=4&${wide(16)}&opt=sgd&batch=2048&samples=2048&test=0&bucket=8KiB&hardware=ethernet10g&at=2&checkpoint=none`,
      show: ['timeline'],
      controls: [
        'play',
        { key: 'checkpoint', label: 'Segments', values: ['none', '2', '4'] },
        {
          key: 'hardware',
          label: 'Machine',
          values: ['ethernet10g', 'pcie4'],
          words: ['10 Gbit Ethernet', 'PCI Express'],
        },
      ],
      caption:
        'Four ranks train with DDP on A100s. The upper lane of a rank shows what it computes, the lower what it sends.',
      numbers: ['allocated', 'phaseTime:backward', 'commTime', 'exposedTime', 'hidden', 'stepTime'],
      starts: 'rest',
    },
  },
  predictions: {
    twelve: {
      question:
        'From two segments to four, the peak falls. What does the peak do from four segments to twelve, the end of the slider?',
      answer: { figure: 'trade', of: 'allocated', with: { checkpoint: '12' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'It falls further: the segments get shorter', right: (bytes) => bytes < 0.98 * WITH_FOUR },
          {
            text: 'It stays where it is',
            right: (bytes) => bytes >= 0.98 * WITH_FOUR && bytes <= 1.02 * WITH_FOUR,
          },
          { text: 'It rises again, to about the peak with two segments', right: (bytes) => bytes > 1.02 * WITH_FOUR },
        ],
      },
      why: 'With twelve segments the peak is {allocated}. A short segment has few activations, but every segment keeps its input. The sum of both is smallest at a number of segments in between.',
      plot: {
        figure: 'trade',
        of: 'allocated',
        over: 'checkpoint',
        label: 'segments',
        values: ['2', '3', '4', '6', '8', '12'],
      },
    },
    ethernet: {
      question:
        'Four ranks share the work over 10 Gbit Ethernet. With four segments each rank computes almost all of its forward pass twice. How much longer does the step take?',
      answer: { figure: 'free', of: 'stepTime', with: { checkpoint: '4' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'About a fifth longer, as on one device', right: (us) => us > 1.1 * OVER_ETHERNET_US },
          {
            text: 'A little longer',
            right: (us) => us > 1.001 * OVER_ETHERNET_US && us <= 1.1 * OVER_ETHERNET_US,
          },
          { text: 'Not at all', right: (us) => us <= 1.001 * OVER_ETHERNET_US },
        ],
      },
      why: 'It takes {stepTime}, as long as before. The step ends when the last all-reduce ends, and the network was busy all the time. Each rank now computes in the time in which it would have waited.',
    },
  },
  tasks: {
    again: {
      figure: 'walk',
      text: 'With two segments, step to a moment in backward at which the device runs a forward kernel again.',
      hint: 'Backward goes through the second segment first. After that, look for tensors whose names end in “.again”.',
      done: ({ trace, moment }) =>
        moment?.phase === 'backward' &&
        moment.events.some((event) => trace?.events[event]?.writes.some((name) => name.endsWith('.again')) === true),
      solution: [{ set: { checkpoint: '2' } }, { set: { moment: '25' } }],
    },
    twice: {
      figure: 'trade',
      text: 'Train with twice as many rows, in no more memory than the net needed before, with all activations kept.',
      hint: 'Set the batch to 512 first. Then try segments between the two ends of the slider.',
      done: (facts) => facts.info?.config.batchSize === 512 && number(facts, 'allocated') <= KEPT_ALL,
      solution: [{ set: { batch: '512' } }, { set: { checkpoint: '4' } }],
    },
    price: {
      figure: 'free',
      text: 'Find the machine on which checkpointing makes the step longer.',
      hint: 'If the network is fast, the ranks do not wait for it, and the second forward pass makes the step longer.',
      done: (facts) =>
        segmentsOf(facts) !== undefined && number(facts, 'exposedTime') < 0.01 * number(facts, 'stepTime'),
      solution: [{ set: { hardware: 'pcie4' } }, { set: { checkpoint: '4' } }],
    },
  },
  drawings: {
    saw: {
      kind: 'memory-over-time',
      caption:
        'The memory of cuda:0 during one step of the deep net, kernel by kernel. The dashed line is the same step with all activations kept.',
      runs: Object.fromEntries(SEGMENTS.map((checkpoint) => [checkpoint, `${DEEP}&at=1&checkpoint=${checkpoint}`])),
    },
  },
});
