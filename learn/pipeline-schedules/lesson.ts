/** Schedules that shrink a pipeline's bubble: several stages per rank, backwards in two halves, stages in a V. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

/** Eight layers of equal work, for four ranks: two layers in one stage, or one layer in each of two stages. */
const NET =
  'data=regression&in=32&out=32&layers=32-32-32-32-32-32-32-32-32&loss=mse&batch=32&samples=64&test=0&hardware=transputer';
const RUN = `mode=pipeline&pp=4&${NET}&at=2`;
/** Three layers for three ranks: small enough to be ordered by hand. */
const SMALL =
  'mode=pipeline&pp=3&data=regression&in=8&out=8&layers=8-8-8-8&loss=mse&batch=16&samples=64&test=0&hardware=transputer';

const number = (facts: Facts, of: Parameters<typeof measure>[1]): number => measure(facts, of) ?? Number.NaN;

/** ZB1P for three ranks and four micro-batches. */
const IN_TWO_HALVES = [
  '0F0,0F1,0F2,0I0,0W0,0F3,0I1,0W1,0I2,0W2,0I3,0W3',
  '1F0,1F1,1I0,1F2,1I1,1W0,1F3,1I2,1W1,1I3,1W2,1W3',
  '2F0,2I0,2F1,2I1,2F2,2I2,2W0,2F3,2I3,2W1,2W2,2W3',
].join('\n');

export const lesson = defineLesson({
  figures: {
    loops: {
      run: `${RUN}&pipeline=1F1B&microBatches=8&moment=12`,
      show: ['schedule'],
      controls: [
        'play',
        {
          key: 'pipeline',
          label: 'Schedule',
          values: ['1F1B', 'Interleaved1F1B'],
          words: ['1F1B', 'interleaved 1F1B'],
        },
      ],
      caption: 'The same eight layers on four ranks: one stage of two layers per rank, or two stages of one layer.',
      numbers: ['stages', 'bubble', 'bubbleByFormula', 'bubbleOfRun', 'messages', 'bytesInAll', 'peakLive:0'],
      starts: 'rest',
    },
    halves: {
      run: `${RUN}&pipeline=1F1B&stagesPerRank=1&microBatches=8&moment=12`,
      show: ['schedule'],
      controls: [
        'play',
        { key: 'pipeline', label: 'Schedule', values: ['1F1B', 'InterleavedZeroBubble'], words: ['1F1B', 'ZB1P'] },
      ],
      caption:
        'B is a whole backward pass. I is the half that another rank waits for, W the half that only the optimiser needs.',
      numbers: ['stages', 'makespan', 'bubble', 'bubbleByFormula', 'bubbleOfRun', 'peakLive:0', 'peakLive:3'],
      starts: 'rest',
    },
    own: {
      run: `${SMALL}&pipeline=1F1B&microBatches=4&at=1`,
      show: ['editor'],
      controls: ['play', 'iteration', 'reset'],
      caption: '1F1B for three ranks and four micro-batches. Replace B cells by I and W cells, and move the W cells.',
      numbers: ['bubble', 'makespan', 'peakLive', 'activationMemory:0', 'loss:1'],
      starts: 'rest',
    },
    turn: {
      run: `${RUN}&pipeline=InterleavedZeroBubble&microBatches=8&moment=12`,
      show: ['schedule'],
      controls: [
        'play',
        {
          key: 'pipeline',
          label: 'Schedule',
          values: ['InterleavedZeroBubble', 'ZBVZeroBubble', 'DualPipeV'],
          words: ['interleaved zero bubble', 'ZBV', 'DualPipeV'],
        },
        { key: 'microBatches', label: 'Micro-batches', values: ['8', '16'] },
      ],
      caption: 'Two stages per rank: placed in a loop, or in a V with the first and the last stage on rank 0.',
      numbers: ['stages', 'makespan', 'bubble', 'bubbleByFormula', 'bubbleOfRun', 'peakLive', 'messages'],
      starts: 'rest',
    },
  },
  predictions: {
    halves: {
      question:
        'The bubble of 1F1B is 27.3 % here. Split every backward pass into its two halves. How large is the bubble now?',
      answer: { figure: 'halves', of: 'bubble', with: { pipeline: 'InterleavedZeroBubble' } },
      guess: { kind: 'number', from: 0, to: 0.3, step: 0.005 },
      why: 'It is {bubble}. The step is as long as {makespan} forward passes, and each rank computes for 24 of them. The ranks do exactly the same work as before.',
      plot: {
        figure: 'halves',
        of: 'bubble',
        over: 'microBatches',
        label: 'micro-batches',
        values: ['4', '8', '16'],
        beside: [{ label: '1F1B', with: { pipeline: '1F1B' } }],
      },
    },
  },
  tasks: {
    split: {
      figure: 'own',
      text: 'Split backward passes into I and W until the bubble is at most half as large as at the start, and run your schedule.',
      hint: 'Begin with the last rank, because the other ranks wait for its gradients: put each I directly after its F, and the W cells at the end.',
      done: (facts) =>
        facts.info?.config.pipeline.schedule === 'own' &&
        facts.app.losses.length > 0 &&
        number(facts, 'bubble') <= 1 / 6 + 1e-9,
      solution: [{ set: { pipeline: 'own', actions: IN_TWO_HALVES } }],
    },
    least: {
      figure: 'turn',
      text: 'Bring the bubble under 4 %, with fewer than 200 messages per step.',
      hint: 'More micro-batches shrink the bubble and need more messages. Which schedule sends no message between the two middle stages?',
      done: (facts) => number(facts, 'bubble') < 0.04 && number(facts, 'messages') < 200,
      solution: [{ set: { microBatches: '16', pipeline: 'ZBVZeroBubble' } }],
    },
  },
});
