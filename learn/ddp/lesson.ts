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
      caption: 'One step on several ranks. Each has a whole copy of the net and rows of its own.',
      numbers: ['ranks', 'rowsPerRank', 'effectiveBatch', 'bytesPerRank', 'divergence'],
      starts: 'walk',
    },
    construct: {
      run: `${NET}&rankSeeds=beforeModel&at=construct&moment=1`,
      show: ['stage'],
      controls: ['play', 'moment'],
      caption: 'What the constructor sends, once: the weights and biases of rank 0, to all other ranks.',
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
          words: ['alike', 'different'],
        },
        { key: 'initSync', label: 'Broadcast at the start', values: ['1', '0'], words: ['yes', 'no'] },
      ],
      caption:
        'The loss of a run on four ranks. Change how the ranks begin; the difference between them is below, in numbers.',
      numbers: ['divergence', 'lossOfRank:0', 'lossOfRank:1', 'lossOfRank:2', 'lossOfRank:3', 'trainLoss'],
      starts: 'rest',
    },
    whole: {
      run: `${NET.replace('world=4', 'world=2')}&test=0&compare=1&at=60`,
      show: ['loss'],
      controls: ['play', { key: 'world', label: 'Ranks', values: ['2', '4', '8'] }],
      caption: 'The same training on several ranks and, beside it, on one device with the whole batch.',
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
          { text: 'As large as weights are: they started apart', right: (most) => most > 0.01 },
          {
            text: 'Small, and getting smaller: averaging pulls them together',
            right: (most) => most > 0 && most <= 0.01,
          },
          { text: 'Exactly zero', right: (most) => most === 0 },
        ],
      },
      why: 'It is {divergence}. The constructor overwrote what the other ranks had drawn, and every rank has taken the same steps since.',
    },
    rounding: {
      question:
        'The same seed, the same rows: four ranks with a quarter of each batch, or one device with all of it. How far apart are the weights in the end?',
      answer: { figure: 'whole', of: 'difference', with: { world: '4' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'They have the same bits', right: (most) => most === 0 },
          { text: 'They differ in the last digits', right: (most) => most > 0 && most < 1e-5 },
          { text: 'They are two different nets with much the same loss', right: (most) => most >= 1e-5 },
        ],
      },
      why: 'At most {difference}. The mean of four means over equally many rows is the mean over all rows; only the order of the additions is another.',
    },
  },
  tasks: {
    exchanged: {
      figure: 'step',
      text: 'With four ranks, stop at the moment after which all have the same gradients and still their old weights.',
      hint: 'It is the last round of messages, just before the copies back into .grad.',
      done: (facts) => facts.info?.ranks === 4 && exchanged(facts),
      solution: [{ set: { moment: '20' } }],
    },
    apart: {
      figure: 'apart',
      text: 'Make the replicas different.',
      hint: 'Let them start apart, and take away what would bring them together. It takes both controls.',
      done: differs,
      solution: [{ set: { rankSeeds: 'beforeModel', initSync: '0' } }, 'wait'],
    },
    cure: {
      figure: 'apart',
      text: 'Now cure it, and let the ranks still draw different weights.',
      hint: 'The seeds stay different. What does the constructor do?',
      done: (facts) => givenBack(facts) && !differs(facts),
      solution: [{ set: { rankSeeds: 'beforeModel', initSync: '0' } }, { set: { initSync: '1' } }, 'wait'],
    },
  },
});
