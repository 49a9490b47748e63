/** Lesson 11: one net in stages, its batch in micro-batches; what the order of the work costs in time and in memory. */
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
        'Four ranks over time. A cell F or B is a forward or backward, its number the micro-batch; hatched is waiting.',
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
        'The band below each row is as high as the number of activations that the rank keeps; at its end is the most.',
      numbers: ['bubble', 'peakLive:0', 'peakLive:1', 'peakLive:2', 'peakLive:3', 'activationMemory:0', 'loss:2'],
      starts: 'rest',
    },
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
      caption: 'The same eight layers: as one stage per rank, or as two half as long.',
      numbers: ['stages', 'bubble', 'bubbleByFormula', 'bubbleOfRun', 'messages', 'bytesInAll', 'peakLive:0'],
      starts: 'rest',
    },
    halves: {
      run: `${RUN}&pipeline=Interleaved1F1B&microBatches=8&moment=12`,
      show: ['schedule'],
      controls: [
        'play',
        {
          key: 'pipeline',
          label: 'Schedule',
          values: ['Interleaved1F1B', 'InterleavedZeroBubble', 'ZBVZeroBubble'],
          words: ['interleaved 1F1B', 'ZB1P', 'ZBV'],
        },
      ],
      caption: 'Backward whole (B), or in two halves: I for the rank that waits, W for the weights.',
      numbers: ['stages', 'makespan', 'bubble', 'bubbleByFormula', 'bubbleOfRun', 'peakLive', 'messages'],
      starts: 'rest',
    },
    own: {
      run: `${SMALL}&pipeline=GPipe&microBatches=4&at=1`,
      show: ['editor'],
      controls: ['play', 'iteration', 'reset'],
      caption: 'GPipe for three ranks and four micro-batches, to be changed.',
      numbers: ['bubble', 'makespan', 'peakLive', 'activationMemory:0', 'loss:1'],
      starts: 'rest',
    },
  },
  predictions: {
    eight: {
      question:
        'With one micro-batch every rank waits for three quarters of the time. How much is left of that with eight?',
      answer: { figure: 'cut', of: 'bubble', with: { microBatches: '8' } },
      guess: { kind: 'number', from: 0, to: 0.75, step: 0.01 },
      why: 'It is {bubble}: the schedule is {makespan} forwards long, and every rank works for as long as eight micro-batches take and waits for as long as three take.',
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
        '1F1B does not wait for all forwards: each rank begins with the backwards as soon as the first gradient arrives. What does that do to the bubble?',
      answer: { figure: 'memory', of: 'bubble', with: { pipeline: '1F1B' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'It gets smaller', right: (bubble, facts) => bubble < bubbleOfGPipe(facts) - NEARLY },
          {
            text: 'It stays as it is',
            right: (bubble, facts) => Math.abs(bubble - bubbleOfGPipe(facts)) <= NEARLY,
          },
          { text: 'It gets larger', right: (bubble, facts) => bubble > bubbleOfGPipe(facts) + NEARLY },
        ],
      },
      why: 'It is {bubble}, as before: the first micro-batch still has to come down to the last rank, and the last gradient back to the first. What falls is the memory: rank 0 keeps {peakLive:0} activations in place of {microBatches}.',
    },
  },
  tasks: {
    under20: {
      figure: 'cut',
      text: 'Bring the bubble under 20 %.',
      hint: 'The rows do not get fewer. Cut the batch into more pieces.',
      done: (facts) => number(facts, 'bubble') < 0.2,
      solution: [{ set: { microBatches: '16' } }],
    },
    halve: {
      figure: 'memory',
      text: 'Halve the activations that rank 0 keeps, and lose no time by it.',
      hint: 'Half the micro-batches would do it, too, but then the bubble grows. Change the order of the work.',
      done: (facts) => number(facts, 'peakLive') <= 4 && number(facts, 'bubble') <= 3 / 11 + NEARLY,
      solution: [{ set: { pipeline: '1F1B' } }],
    },
    build: {
      figure: 'own',
      text: 'Build a schedule in which no rank keeps all four micro-batches, and run it.',
      hint: 'Rank 0 has to do B0 before F3. Who makes the gradient that it needs, and when does that one have what it needs? Begin with the last rank.',
      done: ({ info, app, ...facts }) =>
        info?.config.pipeline.schedule === 'own' &&
        app.losses.length > 0 &&
        number({ info, app, ...facts }, 'peakLive') < info.config.pipeline.microBatches,
      solution: [{ set: { pipeline: 'own', actions: ONE_FORWARD_ONE_BACKWARD } }],
    },
  },
});
