/** Tensor parallelism: one layer cut among several ranks; where its collectives come from, and where a group fits. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';
import { BY_SEQUENCE, COLUMNS_FIRST, ONLY_COLUMNS, ROWS_FIRST, WHOLE_NORMS } from './plans';

/** Two layers with few enough numbers to be read in the rooms. */
const PAIR =
  'mode=tensor&tp=2&data=regression&in=4&out=4&layers=4-8-4&loss=mse&batch=4&samples=64&test=0&hardware=transputer&at=2';
const GPT =
  'mode=tensor&preset=gpt&gpt=1-4-16&data=text&context=16&batch=4&test=0&hardware=nvlink8&lossParallel=1&at=1';
/** Four layers and a batch that are work for an A100. */
const TWO_PAIRS =
  'data=regression&in=64&out=64&layers=64-256-64-256-64&loss=mse&batch=512&samples=512&test=0&hardware=nvlink8&at=2';

const number = (facts: Facts, of: Parameters<typeof measure>[1]): number => measure(facts, of) ?? Number.NaN;

const collectives = (facts: Facts): number =>
  number(facts, 'allReduces') + number(facts, 'allGathers') + number(facts, 'reduceScatters');

/** At the cursor, the ranks have begun to add, and the reader has stepped there. */
const adding = ({ moment, pressed }: Facts): boolean =>
  pressed.includes('moment') && moment?.phase === 'forward' && moment.kind === 'round';

export const lesson = defineLesson({
  figures: {
    cut: {
      run: `${PAIR}&moment=1`,
      show: ['stage'],
      controls: ['play', 'moment', 'phase', { key: 'tp', label: 'Ranks', values: ['1', '2', '4'] }],
      caption:
        'A tensor group: the ranks inside one frame share every layer. The filled part of a weight is the part that the rank has; the outline is the whole weight.',
      numbers: ['devices', 'parameters', 'parameterMemory:0', 'allReduces', 'bytesPerRank'],
      starts: 'walk',
    },
    order: {
      run: `${PAIR}&plan=${ROWS_FIRST}`,
      show: ['timeline'],
      controls: [
        {
          key: 'plan',
          label: 'Cut by',
          values: [ROWS_FIRST, ONLY_COLUMNS, COLUMNS_FIRST],
          words: ['rows, columns', 'columns, columns', 'columns, rows'],
        },
        { key: 'tp', label: 'Ranks', values: ['2', '4'] },
      ],
      caption: 'One step over time. While the ranks send, no rank computes.',
      numbers: ['allReduces', 'allGathers', 'reduceScatters', 'bytesPerRank', 'stepTime'],
      starts: 'rest',
    },
    heads: {
      run: `${GPT}&plan=${WHOLE_NORMS}&tp=2&moment=10`,
      show: ['stage'],
      controls: ['play', 'moment', 'phase', { key: 'tp', label: 'Ranks', values: ['1', '2', '4'] }],
      caption: 'A GPT with one block and four heads. Each rank computes the heads that it has.',
      numbers: ['devices', 'parameters', 'parameterMemory:0', 'activationMemory:0', 'allReduces', 'bytesPerRank'],
      starts: 'rest',
    },
    sequence: {
      run: `${GPT}&plan=${WHOLE_NORMS}&tp=4`,
      show: ['memory'],
      controls: [
        {
          key: 'plan',
          label: 'Norms',
          values: [WHOLE_NORMS, BY_SEQUENCE],
          words: ['whole on every rank', 'cut along the sequence'],
        },
        { key: 'tp', label: 'Ranks', values: ['2', '4'] },
      ],
      caption: 'The memory that each rank reserves for the same GPT.',
      numbers: [
        'activationMemory:0',
        'parameterMemory:0',
        'allReduces',
        'allGathers',
        'reduceScatters',
        'bytesPerRank',
      ],
      starts: 'rest',
    },
    border: {
      run: `mode=tensor&world=4&dp=1&nodes=1&${TWO_PAIRS}`,
      show: ['timeline'],
      controls: [
        { key: 'nodes', label: 'Nodes', values: ['1', '2'] },
        { key: 'dp', label: 'Groups', values: ['1', '2'], words: ['one of four ranks', 'two of two ranks'] },
      ],
      caption:
        'Two column-row pairs on four A100s. With two groups, each group trains on half of the batch, and DDP averages their gradients.',
      numbers: ['stepTime', 'commTime', 'exposedTime', 'hidden', 'bytesPerRank', 'bytesBetweenNodes'],
      starts: 'rest',
    },
  },
  predictions: {
    pair: {
      question: 'How many all-reduces does a whole step of this net need, forward and backward?',
      answer: { figure: 'cut', of: 'allReduces' },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'None', right: (count) => count === 0 },
          { text: 'One', right: (count) => count === 1 },
          { text: 'Two: one for each layer', right: (count) => count === 2 },
          { text: 'Four: one for each weight and bias', right: (count) => count === 4 },
        ],
      },
      why: 'It is {allReduces}, after the layer that is cut by rows. The layer that is cut by columns needs none. In backward each rank computes the gradients of its own weights, and training needs no gradient of the data.',
    },
    hidden: {
      question: 'How much of its communication can a tensor group hide behind computing?',
      answer: { figure: 'border', of: 'hidden' },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'More than DDP', right: (hidden) => hidden > 0.66 },
          { text: 'About as much as DDP', right: (hidden) => hidden > 0.3 && hidden <= 0.66 },
          { text: 'Almost nothing', right: (hidden) => hidden <= 0.3 },
        ],
      },
      why: 'It is {hidden}. The next layer needs the sum, so it cannot start before the all-reduce has ended. Only in backward can a rank compute during the all-reduce: the gradient of a weight. Under DDP the ranks wait only at the end of backward.',
    },
  },
  tasks: {
    sum: {
      figure: 'cut',
      text: 'Step to the moment at which the ranks begin to add their two addends.',
      hint: '“Step moment” goes one moment further. The sum comes after both products of the forward pass.',
      done: adding,
      solution: [{ press: 'reset' }, ...Array.from({ length: 7 }, () => ({ press: 'moment' }) as const)],
    },
    cheapest: {
      figure: 'order',
      text: 'Find the order that needs only one collective.',
      hint: 'The output of the first layer on a rank should be the input that the second layer needs on the same rank.',
      done: (facts) => collectives(facts) === 1,
      solution: [{ set: { plan: COLUMNS_FIRST } }],
    },
    inside: {
      figure: 'border',
      text: 'Use four ranks on two nodes, and send less than half as many bytes between the nodes as with one group of four.',
      hint: 'Neighbouring ranks form a group. With groups of two, each group is inside one node.',
      done: (facts) =>
        number(facts, 'nodes') === 2 &&
        number(facts, 'devices') === 4 &&
        (facts.info?.config.mesh.dpReplicate ?? 1) === 2,
      solution: [{ set: { nodes: '2', dp: '2' } }],
    },
  },
});
