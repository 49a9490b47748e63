/**
 * A whole script from one GPU to many: which rows a rank trains on, which loss it prints, how ranks add up what they
 * counted. The two scripts are in scripts/; torch runs them in scripts.torch.test.ts.
 */

import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const SCRIPT = 'mode=ddp&data=circle&samples=800&test=0&layers=2-32-1&opt=adam&lr=0.02&world=4';

/** How far rank 0's own loss is from the loss of the whole batch, as a share of the latter. */
function offBy(facts: Facts): number {
  const [own, all] = [measure(facts, 'lossOfRank:0'), measure(facts, 'loss')];
  return own === undefined || all === undefined ? Number.NaN : Math.abs(own - all) / all;
}

export const lesson = defineLesson({
  card: { figure: 'logged', view: 'loss' },
  figures: {
    shares: {
      run: `${SCRIPT}&batch=64&at=1&moment=1`,
      show: ['stage'],
      controls: [
        'play',
        'moment',
        { key: 'world', label: 'Ranks', values: ['2', '4', '8'] },
        { key: 'batch', label: 'Rows per step', values: ['64', '128', '256', '512'] },
      ],
      caption: 'The first step of the script on several ranks. Every rank loads its own rows.',
      numbers: ['ranks', 'effectiveBatch', 'rowsPerRank', 'batchesPerEpoch'],
      starts: 'walk',
      height: 420,
    },
    logged: {
      run: `${SCRIPT}&batch=16&at=20&speed=20/s`,
      show: ['loss'],
      controls: [
        'play',
        'iteration',
        { key: 'batch', label: 'Rows per step', values: ['16', '64', '256'] },
        { key: 'world', label: 'Ranks', values: ['2', '4', '8'] },
      ],
      caption: 'The loss of each step: one line per rank, and the mean over all ranks in black.',
      numbers: ['stepsDone', 'rowsPerRank', 'lossOfRank:0', 'lossOfRank:1', 'loss'],
      starts: 'rest',
    },
    counts: {
      run: 'lab=allReduce(ranks:4,length:2,round:0)',
      show: ['lab'],
      controls: ['play', 'round', { key: 'ranks', label: 'Ranks', values: ['2', '4', '8'] }],
      caption: 'Every rank holds two numbers, and an all-reduce adds them up over all ranks.',
      numbers: ['ranks', 'labRound', 'rounds', 'bytesPerRank'],
      starts: 'rest',
    },
  },
  predictions: {
    padded: {
      question:
        'You hold out 205 rows, and four ranks evaluate them through a DistributedSampler. How many rows do they count, all together?',
      answer: { figure: 'shares', of: 'rowsRead', with: { samples: '205', batch: '256', world: '4' } },
      guess: { kind: 'number', from: 200, to: 212, step: 1 },
      why: 'They count {rowsRead} rows, but only {differentRows} different rows. The sampler gives every rank the same number of rows, so it repeats some. In training that hardly matters, but in the accuracy the repeated rows count twice.',
    },
  },
  tasks: {
    copied: {
      figure: 'shares',
      text: 'Someone copies batch_size=64 into the script for four ranks and forgets to divide it. Set the figure to the step that this script really takes.',
      hint: 'A DataLoader of a DDP script counts the rows of one rank. There are four ranks.',
      done: (facts) => measure(facts, 'rowsPerRank') === 64 && facts.info?.ranks === 4,
      solution: [{ set: { world: '4' } }, { set: { batch: '256' } }],
    },
    misled: {
      figure: 'logged',
      text: 'Find a step in which the loss of rank 0 is at least a tenth away from the loss of the step.',
      hint: 'The fewer rows a rank has, the more its loss depends on which rows they are. Set 16 rows per step and eight ranks, and step on if you have to.',
      done: (facts) => offBy(facts) >= 0.1,
      solution: [{ set: { batch: '16' } }, { set: { world: '8' } }, { press: 'iteration' }, 'wait'],
    },
    everywhere: {
      figure: 'counts',
      text: 'Go to the round after which every rank holds the sum of all ranks.',
      hint: 'It is the last round. First the ranks add up the numbers piece by piece, then every rank receives all pieces.',
      done: ({ lab, round }) => lab !== undefined && round === lab.rounds.length,
      solution: [{ set: { round: '6' } }],
    },
  },
});
