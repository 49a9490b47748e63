/** All-reduce: a ring adds up gradients chunk by chunk, what each rank sends for it, and what a round costs. */
import { must } from '../../src/base/invariant';
import type { Facts } from '../../src/lessons/facts/facts';
import { defineLesson } from '../../src/lessons/lesson';

const RING_OR_ROOT = {
  key: 'algorithm',
  label: 'Way',
  values: ['ring', 'naive'],
  words: ['ring', 'through rank 0'],
};

/** What the rounds alone would cost: messages without a byte. */
const latencies = ({ lab }: Facts): number => {
  const { request, rounds } = must(lab, 'a lab');
  return request.startUs + rounds.length * request.link.latencyUs;
};

/** So many times what the last rank sends is sent by rank 0. */
const timesOfLast = ({ lab }: Facts): number => (lab?.bytesSent[0] ?? 0) / (lab?.bytesSent.at(-1) || Number.NaN);

export const lesson = defineLesson({
  figures: {
    ring: {
      run: 'lab=allReduce(ranks:4,length:16,round:1)',
      show: ['lab'],
      controls: ['play', 'round', { key: 'ranks', label: 'Ranks', values: ['2', '4', '8'] }],
      caption:
        'One row per rank, one column per chunk. The bar below a chunk shows the colours of all ranks whose values are in the sum.',
      numbers: ['ranks', 'gradientBytes', 'rounds', 'bytesPerRank'],
      starts: 'walk',
    },
    cost: {
      run: 'lab=allReduce(ranks:4,length:48,round:1)',
      show: ['lab'],
      controls: ['play', 'round', { key: 'ranks', label: 'Ranks', values: ['2', '4', '8'] }, RING_OR_ROOT],
      caption: 'The same sum, computed in two ways: around the ring, or through rank 0.',
      numbers: ['gradientBytes', 'bytesPerRank:0', 'bytesPerRank:1', 'bytesInAll', 'rounds'],
      starts: 'rest',
    },
    price: {
      run: 'lab=allReduce(ranks:8,length:48,round:1)',
      show: ['lab'],
      controls: [
        'play',
        'round',
        {
          key: 'algorithm',
          label: 'Algorithm',
          values: ['ring', 'halvingDoubling'],
          words: ['ring', 'halving and doubling'],
        },
        { key: 'length', label: 'Gradient', values: ['48', '4800'], words: ['small', 'a hundred times larger'] },
      ],
      caption: 'Two algorithms that send the same number of bytes in a different number of rounds.',
      numbers: ['gradientBytes', 'bytesPerRank', 'rounds', 'stepTime'],
      starts: 'rest',
    },
    step: {
      run: 'mode=ddp&world=4&layers=2-8-8-1&bucket=default&hardware=pcie4&at=2&moment=14',
      show: ['stage'],
      controls: ['play', 'moment'],
      caption: 'The ring in a training step. It starts when the gradients of all layers are in the bucket.',
      numbers: ['gradientBytes', 'bytesPerRank', 'rounds', 'messages', 'divergence'],
      starts: 'rest',
    },
  },
  predictions: {
    eight: {
      question: 'Each of eight ranks has a gradient of 192 B. How many bytes does each rank send on the ring?',
      answer: { figure: 'cost', of: 'bytesPerRank', with: { ranks: '8' } },
      guess: { kind: 'number', from: 0, to: 1600, step: 16 },
      why: 'A rank sends one chunk in each of {rounds} rounds, and a chunk is an eighth of {gradientBytes}. That is $2 \\cdot 7 \\cdot S/8$, or {bytesPerRank}.',
      plot: {
        figure: 'cost',
        of: 'bytesPerRank',
        over: 'ranks',
        label: 'ranks N',
        values: ['2', '3', '4', '6', '8'],
        beside: [{ label: 'rank 0, if all gradients go through it', with: { algorithm: 'naive' } }],
      },
    },
    hundred: {
      question: 'Make the gradient of the eight ranks a hundred times as large. How much longer does the ring take?',
      answer: { figure: 'price', of: 'stepTime', with: { length: '4800' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'About a hundred times as long', right: (us, facts) => us > 30 * latencies(facts) },
          {
            text: 'About ten times as long',
            right: (us, facts) => us > 2 * latencies(facts) && us <= 30 * latencies(facts),
          },
          { text: 'Hardly longer', right: (us, facts) => us <= 2 * latencies(facts) },
        ],
      },
      why: 'It takes {stepTime} for {gradientBytes}. Nearly all of that is the latency of {rounds} rounds, and the latency does not depend on the size of the messages.',
    },
  },
  tasks: {
    complete: {
      figure: 'ring',
      text: 'Set eight ranks, and stop after the round that first gives every rank a complete chunk.',
      hint: 'A chunk is complete when its bar shows all colours. A chunk starts on one rank and has to visit all other ranks.',
      done: ({ lab, round }) => lab?.request.worldSize === 8 && round === lab.rounds.length / 2,
      solution: [{ set: { ranks: '8', round: '7' } }],
    },
    burden: {
      figure: 'cost',
      text: 'Make rank 0 send seven times as much as the last rank.',
      hint: 'On a ring all ranks send the same amount, however many ranks there are. Choose “through rank 0” instead.',
      done: (facts) => timesOfLast(facts) >= 7,
      solution: [{ set: { algorithm: 'naive', ranks: '8' } }],
    },
    half: {
      figure: 'step',
      text: 'Stop the step at the first moment in which ranks send complete chunks.',
      hint: 'Go moment by moment and read the sentence above the figure. You are looking for the first round of the all-gather.',
      done: ({ moment }) => moment?.round?.part === 'all-gather' && moment.round.index === moment.round.count / 2,
      solution: [{ set: { moment: '18' } }],
    },
  },
  drawings: {
    ways: {
      kind: 'two-ways',
      caption:
        'The same sum in two ways. A tile is one message with one chunk of the gradient. Move the slider: tiles change their sender, but their number stays the same.',
      runs: Object.fromEntries(
        ['4', '8'].flatMap((ranks) =>
          ['ring', 'naive'].map((way) => [
            `${way} ${ranks}`,
            `lab=allReduce(algorithm:${way},ranks:${ranks},length:48)`,
          ]),
        ),
      ),
    },
  },
});
