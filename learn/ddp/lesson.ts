/** DistributedDataParallel: what makes the replicas alike at the start, what keeps them alike, and what that equals. */
import type { Facts } from '../../src/lessons/facts/facts';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'mode=ddp&world=4&layers=2-8-8-1&bucket=default&hardware=transputer';

const differs = ({ app }: Facts): boolean => (app.snapshot?.replicaDivergence ?? 0) > 0;

/** The broadcast was taken away and given back, and the ranks still draw different weights. */
function givenBack({ info, pressed }: Facts): boolean {
  const switched = pressed.filter((what) => what.startsWith('initSync='));
  const { initSync, rankSeeds } = info?.config.ddp ?? {};
  return (
    switched.includes('initSync=0') &&
    switched.at(-1) === 'initSync=1' &&
    initSync === true &&
    rankSeeds === 'beforeModel'
  );
}

/** The last message that this step needs for its gradients has come, and no weight has changed. */
const exchanged = ({ moment }: Facts): boolean =>
  moment?.round?.part === 'all-gather' && moment.round.index === moment.round.count - 1;

export const lesson = defineLesson({
  figures: {
    step: {
      run: `${NET}&at=2&moment=2`,
      show: ['stage'],
      controls: ['play', 'moment', { key: 'world', label: 'Ranks', values: ['2', '4', '8'] }],
      caption: 'One step on several ranks. Each rank has a whole copy of the net and its own rows.',
      numbers: ['ranks', 'rowsPerRank', 'effectiveBatch', 'bytesPerRank', 'divergence'],
      starts: 'walk',
    },
    construct: {
      run: `${NET}&rankSeeds=beforeModel&at=construct&moment=1`,
      show: ['stage'],
      controls: ['play', 'moment'],
      caption: 'In the constructor, once, rank 0 sends its weights and biases to all other ranks.',
      numbers: ['ranks', 'parameters', 'gradientBytes'],
      starts: 'rest',
    },
    apart: {
      run: `${NET}&data=xor&test=0&lr=0.03&at=60`,
      show: ['loss'],
      controls: [
        'play',
        {
          key: 'rankSeeds',
          label: 'Seeds of the ranks',
          values: ['same', 'beforeModel'],
          words: ['equal', 'different'],
        },
        { key: 'initSync', label: 'Broadcast at the start', values: ['1', '0'], words: ['yes', 'no'] },
      ],
      caption:
        'The loss of a run on four ranks. Change how the ranks start. The difference between their weights is under “In numbers”.',
      numbers: ['divergence', 'lossOfRank:0', 'lossOfRank:1', 'lossOfRank:2', 'lossOfRank:3', 'trainLoss'],
      starts: 'rest',
    },
    whole: {
      run: `${NET.replace('world=4', 'world=2')}&test=0&compare=1&at=60`,
      show: ['loss'],
      controls: ['play', { key: 'world', label: 'Ranks', values: ['2', '4', '8'] }],
      caption: 'The same training twice: on several ranks, and on one device with the whole batch.',
      numbers: ['rowsPerRank', 'effectiveBatch', 'loss', 'divergence', 'difference'],
      starts: 'rest',
    },
  },
  predictions: {
    seeds: {
      question:
        'Every rank calls `torch.manual_seed(rank)`, builds the net and wraps it in DDP. What is the largest difference between their weights after some steps?',
      answer: { figure: 'apart', of: 'divergence', with: { rankSeeds: 'beforeModel' } },
      guess: {
        kind: 'choice',
        choices: [
          {
            text: 'About as large as the weights themselves, because they started different',
            right: (most) => most > 0.01,
          },
          {
            text: 'Small, and shrinking: averaging the gradients makes the weights more alike',
            right: (most) => most > 0 && most <= 0.01,
          },
          { text: 'Exactly zero', right: (most) => most === 0 },
        ],
      },
      why: 'It is {divergence}. DDP’s constructor overwrote the weights that the other ranks had drawn, and since then all ranks have taken the same steps.',
    },
    rounding: {
      question:
        'Train the same net on the same rows twice: on four ranks with a quarter of each batch, and on one device with the whole batch. How far apart are the weights in the end?',
      answer: { figure: 'whole', of: 'difference', with: { world: '4' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'They agree to the last bit', right: (most) => most === 0 },
          { text: 'They differ in the last digits', right: (most) => most > 0 && most < 1e-5 },
          { text: 'They are two different nets with about the same loss', right: (most) => most >= 1e-5 },
        ],
      },
      why: 'At most {difference}. If all ranks have the same number of rows, the mean of the ranks’ gradients is the gradient of the whole batch. Only the order of the additions is different.',
    },
  },
  tasks: {
    exchanged: {
      figure: 'step',
      text: 'With four ranks, stop at the moment after which all ranks have the same gradients but still their old weights.',
      hint: 'It is the last round of messages, just before the sums are copied back into .grad.',
      done: (facts) => facts.info?.ranks === 4 && exchanged(facts),
      solution: [{ set: { moment: '20' } }],
    },
    apart: {
      figure: 'apart',
      text: 'Make the replicas different.',
      hint: 'Use both controls: let the ranks draw different weights, and leave out the broadcast that would make the weights equal.',
      done: differs,
      solution: [{ set: { rankSeeds: 'beforeModel', initSync: '0' } }, 'wait'],
    },
    cure: {
      figure: 'apart',
      text: 'Now make the replicas equal again, although the ranks still draw different weights.',
      hint: 'Keep the seeds different. What does DDP’s constructor do to make the weights equal?',
      done: (facts) => givenBack(facts) && !differs(facts),
      solution: [{ set: { rankSeeds: 'beforeModel', initSync: '0' } }, { set: { initSync: '1' } }, 'wait'],
    },
  },
});
