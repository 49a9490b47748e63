/** Pipeline, tensor and data parallelism on one mesh: who forms groups, what an axis divides, who sends where. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

/** Few enough numbers to be read in the rooms; more micro-batches than stages, as DDP needs. */
const SMALL =
  'mode=pipeline&pp=2&dp=2&tp=2&data=regression&in=4&out=4&layers=4-8-4-8-4&loss=mse&batch=12&samples=96&test=0&hardware=transputer&microBatches=3&at=2';
/** Eight layers, so that four stages have a pair of layers each. */
const NET =
  'data=regression&in=16&out=16&layers=16-32-16-32-16-32-16-32-16&loss=mse&opt=adam&batch=32&samples=64&test=0&hardware=nvlink8&at=2';

const number = (facts: Facts, of: Parameters<typeof measure>[1]): number => measure(facts, of) ?? Number.NaN;

const between = (facts: Facts): number => number(facts, 'bytesBetweenNodes');
const along = (facts: Facts, ...axes: readonly ('pp' | 'dp' | 'tp')[]): number =>
  axes.reduce((sum, axis) => sum + number(facts, `bytesAlong:${axis}`), 0);

/** At the cursor replicas average gradients, and the reader has stepped there. */
const averaging = ({ trace, moment, pressed }: Facts): boolean =>
  (pressed.includes('moment') || pressed.includes('phase')) &&
  (moment?.events.some((event) => trace?.events[event]?.collective?.group?.axis === 'dpReplicate') ?? false);

/** Bytes of the parameters on one rank, as a share of all. */
const shareKept = (facts: Facts): number => number(facts, 'parameterMemory:0') / (4 * number(facts, 'parameters'));

export const lesson = defineLesson({
  card: { figure: 'cube', view: 'stage' },
  figures: {
    cube: {
      run: `${SMALL}&moment=1`,
      show: ['stage'],
      controls: ['play', 'moment', 'phase'],
      caption:
        'Eight ranks on a mesh of two by two by two. The ranks inside one frame are a tensor group: they share every layer of their stage.',
      numbers: ['devices', 'rowsPerRank', 'moments', 'bytesAlong:tp', 'bytesAlong:dp', 'bytesAlong:pp'],
      starts: 'walk',
    },
    divide: {
      run: `mode=pipeline&pp=1&dp=1&tp=1&microBatches=8&${NET}`,
      show: ['memory'],
      controls: [
        { key: 'pp', label: 'Stages, pp', values: ['1', '2', '4'] },
        { key: 'dp', label: 'Replicas, dp', values: ['1', '2', '4'] },
        { key: 'tp', label: 'Ranks per layer, tp', values: ['1', '2', '4'] },
      ],
      caption: 'The memory that each rank reserves. The number of ranks is the product of the three sizes.',
      numbers: [
        'devices',
        'rowsPerRank',
        'parameterMemory:0',
        'gradientMemory:0',
        'optimizerMemory:0',
        'activationMemory:0',
      ],
      starts: 'rest',
    },
    links: {
      run: `mode=pipeline&pp=2&dp=2&tp=2&nodes=1&microBatches=4&${NET}`,
      show: ['timeline'],
      controls: ['play', { key: 'nodes', label: 'Nodes', values: ['1', '2', '4', '8'] }],
      caption: 'One step of eight A100s. GPUs of one node are connected by NVLink, nodes by a slower network.',
      numbers: ['nodes', 'bytesAlong:tp', 'bytesAlong:dp', 'bytesAlong:pp', 'bytesBetweenNodes', 'stepTime'],
      starts: 'rest',
    },
  },
  predictions: {
    rows: {
      question:
        'A batch of 32 rows is trained on a mesh with two stages, two replicas and two ranks per layer: eight ranks. How many rows does each rank compute?',
      answer: { figure: 'divide', of: 'rowsPerRank', with: { pp: '2', dp: '2', tp: '2' } },
      guess: { kind: 'number', from: 0, to: 40, step: 1 },
      why: 'Each rank computes {rowsPerRank}. Only the axis `dp` divides the rows. The ranks of a tensor group compute the same rows together, and every row passes through all stages.',
    },
    cross: {
      question: 'Put the eight ranks on four nodes, two on each. Which messages now go from node to node?',
      answer: { figure: 'links', of: 'bytesBetweenNodes', with: { nodes: '4' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'Only the activations between stages', right: (bytes, facts) => bytes === along(facts, 'pp') },
          {
            text: 'The activations between stages, and the gradients of the replicas',
            right: (bytes, facts) => bytes === along(facts, 'pp', 'dp'),
          },
          { text: 'All messages', right: (bytes, facts) => bytes === along(facts, 'pp', 'dp', 'tp') },
        ],
      },
      why: 'The nodes exchange {bytesBetweenNodes}: {bytesAlong:pp} along `pp` and {bytesAlong:dp} along `dp`. Two ranks with neighbouring numbers are on each node, and they are a tensor group.',
    },
  },
  tasks: {
    average: {
      figure: 'cube',
      text: 'Step to a moment at which replicas average their gradients.',
      hint: '“Step phase” goes one phase further. Replicas average near the end of backward: rank 0 with rank 2, for example.',
      done: averaging,
      solution: [{ set: { moment: '38' } }, { press: 'moment' }],
    },
    keep: {
      figure: 'divide',
      text: 'Use at most eight ranks. Let every rank keep less than a third of the parameters and compute at most half of the rows.',
      hint: 'One axis divides the rows. The other two divide the parameters.',
      done: (facts) => number(facts, 'devices') <= 8 && shareKept(facts) < 1 / 3 && number(facts, 'rowsPerRank') <= 16,
      solution: [{ set: { pp: '2' } }, { set: { dp: '2' } }, { set: { tp: '2' } }],
    },
    apart: {
      figure: 'links',
      text: 'Use more than one node, and let only the activations between stages, and their gradients, go from node to node.',
      hint: 'Look at “bytes sent between nodes” and at the bytes along each axis. Which ranks share a node?',
      done: (facts) => number(facts, 'nodes') > 1 && between(facts) === along(facts, 'pp'),
      solution: [{ set: { nodes: '2' } }],
    },
  },
  plots: {
    spread: {
      figure: 'links',
      of: 'stepTime',
      over: 'nodes',
      label: 'nodes for the same eight ranks',
      values: ['1', '2', '4', '8'],
    },
  },
});
