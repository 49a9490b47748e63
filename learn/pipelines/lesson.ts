/** Pipelines: one net in stages, its batch in micro-batches; how long ranks wait, and what they keep in memory. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

/** Eight layers of equal work: two for each of four ranks, in one stage or in two. */
const NET =
  'data=regression&in=32&out=32&layers=32-32-32-32-32-32-32-32-32&loss=mse&batch=32&samples=64&test=0&hardware=transputer';
const RUN = `mode=pipeline&pp=4&${NET}&at=2`;
/** Three layers for three ranks: small enough to be ordered by hand. */
const SMALL =
  'mode=pipeline&pp=3&data=regression&in=8&out=8&layers=8-8-8-8&loss=mse&batch=16&samples=64&test=0&hardware=transputer';

const number = (facts: Facts, of: Parameters<typeof measure>[1]): number => measure(facts, of) ?? Number.NaN;

/** The bubble of GPipe with as many ranks and micro-batches. */
function bubbleOfGPipe(facts: Facts): number {
  const others = number(facts, 'ranks') - 1;
  return others / (number(facts, 'microBatches') + others);
}

const NEARLY = 1e-9;

/** For three ranks and four micro-batches: 1F1B. */
const ONE_FORWARD_ONE_BACKWARD = [
  '0F0,0F1,0F2,0B0,0F3,0B1,0B2,0B3',
  '1F0,1F1,1B0,1F2,1B1,1F3,1B2,1B3',
  '2F0,2B0,2F1,2B1,2F2,2B2,2F3,2B3',
].join('\n');

export const lesson = defineLesson({
  figures: {
    cut: {
      run: `${RUN}&pipeline=GPipe&microBatches=1&moment=2`,
      show: ['schedule'],
      controls: [
        'play',
        'moment',
        { key: 'microBatches', label: 'Micro-batches', values: ['1', '2', '4', '8', '16'] },
        { key: 'hardware', label: 'Machine', values: ['transputer', 'pcie4'], words: ['slow', 'A100'] },
      ],
      caption:
        'Four ranks over time. F is a forward pass, B a backward pass, and the number is the micro-batch. In the hatched areas a rank waits.',
      numbers: [
        'microBatches',
        'makespan',
        'bubble',
        'bubbleByFormula',
        'bubbleOfRun',
        'stepTime',
        'messages',
        'bytesPerHop',
      ],
      starts: 'walk',
    },
    memory: {
      run: `${RUN}&pipeline=GPipe&microBatches=8&moment=12`,
      show: ['schedule'],
      controls: [
        'play',
        { key: 'pipeline', label: 'Schedule', values: ['GPipe', '1F1B'] },
        { key: 'microBatches', label: 'Micro-batches', values: ['4', '8', '16'] },
      ],
      caption:
        'The band below each row shows for how many micro-batches the rank keeps activations. The number at its end is the peak.',
      numbers: ['bubble', 'peakLive:0', 'peakLive:1', 'peakLive:2', 'peakLive:3', 'activationMemory:0', 'loss:2'],
      starts: 'rest',
    },
    own: {
      run: `${SMALL}&pipeline=GPipe&microBatches=4&at=1`,
      show: ['editor'],
      controls: ['play', 'iteration', 'reset'],
      caption: 'GPipe for three ranks and four micro-batches. Change the order, then press Play to train with it.',
      numbers: ['bubble', 'makespan', 'peakLive', 'activationMemory:0', 'loss:1'],
      starts: 'rest',
    },
  },
  predictions: {
    eight: {
      question:
        'With one micro-batch each rank waits for three quarters of the step. For what share of the step does it wait with eight micro-batches?',
      answer: { figure: 'cut', of: 'bubble', with: { microBatches: '8' } },
      guess: { kind: 'number', from: 0, to: 0.75, step: 0.01 },
      why: 'It is {bubble}. The schedule is as long as {makespan} forward passes. Each rank computes for as long as eight micro-batches take, and waits for as long as three take.',
      plot: {
        figure: 'cut',
        of: 'bubble',
        over: 'microBatches',
        label: 'micro-batches',
        values: ['1', '4', '8', '16'],
      },
    },
    sooner: {
      question:
        'Under 1F1B each rank starts its backward passes as soon as the first gradient arrives. What happens to the bubble?',
      answer: { figure: 'memory', of: 'bubble', with: { pipeline: '1F1B' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'It gets smaller', right: (bubble, facts) => bubble < bubbleOfGPipe(facts) - NEARLY },
          {
            text: 'It stays the same',
            right: (bubble, facts) => Math.abs(bubble - bubbleOfGPipe(facts)) <= NEARLY,
          },
          { text: 'It gets larger', right: (bubble, facts) => bubble > bubbleOfGPipe(facts) + NEARLY },
        ],
      },
      why: 'It is {bubble}, as before. The first micro-batch still has to reach the last rank, and the last gradient still has to travel back. But the memory shrinks: rank 0 keeps the activations of {peakLive:0} micro-batches instead of {microBatches}.',
    },
  },
  tasks: {
    under20: {
      figure: 'cut',
      text: 'Bring the bubble under 20 %.',
      hint: 'Cut the same batch into more micro-batches.',
      done: (facts) => number(facts, 'bubble') < 0.2,
      solution: [{ set: { microBatches: '16' } }],
    },
    halve: {
      figure: 'memory',
      text: 'Halve the number of micro-batches whose activations rank 0 keeps, without a larger bubble.',
      hint: 'Half as many micro-batches would also halve the activations, but then the bubble grows. Change the order of the work instead.',
      done: (facts) => number(facts, 'peakLive') <= 4 && number(facts, 'bubble') <= 3 / 11 + NEARLY,
      solution: [{ set: { pipeline: '1F1B' } }],
    },
    build: {
      figure: 'own',
      text: 'Build a schedule in which no rank keeps all four micro-batches, and run it.',
      hint: 'Rank 0 has to run B0 before F3. B0 needs a gradient from rank 1, and rank 1 needs a gradient from rank 2. So begin with the last rank: let it run B0 directly after F0.',
      done: ({ info, app, ...facts }) =>
        info?.config.pipeline.schedule === 'own' &&
        app.losses.length > 0 &&
        number({ info, app, ...facts }, 'peakLive') < info.config.pipeline.microBatches,
      solution: [{ set: { pipeline: 'own', actions: ONE_FORWARD_ONE_BACKWARD } }],
    },
  },
});
