/** ZeRO and FSDP: ranks keep shards, gather a layer while it computes, and reduce-scatter the gradients. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

/** Two layers with few enough numbers to be read in the rooms. */
const SMALL =
  'mode=sharded&data=regression&in=4&out=4&layers=4-8-4&loss=mse&opt=adam&batch=8&samples=64&test=0&hardware=transputer&at=2';
/** Every first dimension is divided by all the numbers of ranks: there is no padding. */
const NET =
  'mode=sharded&data=regression&in=64&out=64&layers=64-64-64-64-64-64&loss=mse&opt=adam&lr=0.01&batch=64&samples=256&test=0&hardware=transputer&at=2';

const STAGES = ['0', '1', '2', '3'];

const number = (facts: Facts, of: Parameters<typeof measure>[1]): number => measure(facts, of) ?? Number.NaN;

/** At the cursor gradients are added and scattered, and the reader has stepped there. */
const scattering = ({ moment, pressed }: Facts): boolean =>
  pressed.includes('moment') && moment?.round?.op === 'reduceScatter';

/** Bytes of all parameters, gradients and states of the model. */
function whole({ info }: Facts): number {
  const all = info?.sharding?.whole;
  return all ? all.parameters + all.gradients + all.states : Number.NaN;
}

/** In units of (N-1)/N times the parameters. */
const sentTimes = (sent: number, facts: Facts): number => {
  const ranks = number(facts, 'devices');
  return sent / ((4 * number(facts, 'parameters') * (ranks - 1)) / ranks);
};

export const lesson = defineLesson({
  card: { figure: 'turn', view: 'stage' },
  figures: {
    turn: {
      run: `${SMALL}&world=2&moment=3`,
      show: ['stage'],
      controls: ['play', 'moment', 'phase', { key: 'world', label: 'Ranks', values: ['2', '4'] }],
      caption:
        'A shard group. The filled part of a tensor is the shard that the rank keeps; the outline is the whole tensor. While a layer computes, it is whole.',
      numbers: ['devices', 'rowsPerRank', 'parameters', 'heldMemory:0', 'allGathers', 'reduceScatters'],
      starts: 'walk',
    },
    stages: {
      run: `${NET}&world=4&zero=3&moment=40`,
      show: ['curve'],
      controls: [
        'play',
        'moment',
        { key: 'zero', label: 'Stage', values: STAGES },
        { key: 'world', label: 'Ranks', values: ['2', '4', '8'] },
      ],
      caption:
        'The memory of rank 0 during one step. The dashed line is the memory that DDP would need at the same moments, without its buckets. The straight line is the formula for parameters, gradients and states.',
      numbers: ['heldMemory:0', 'allocated:0', 'parameterMemory:0', 'gradientMemory:0', 'optimizerMemory:0'],
      starts: 'rest',
    },
    order: {
      run: `${NET}&world=4&zero=3`,
      show: ['timeline'],
      controls: [
        { key: 'zero', label: 'Stage', values: STAGES },
        { key: 'prefetch', label: 'Gather ahead', values: ['none', '0'], words: ['one layer', 'nothing'] },
      ],
      caption: 'One step over time: when each layer is gathered, and when its gradients are reduce-scattered.',
      numbers: ['allReduces', 'allGathers', 'reduceScatters', 'bytesPerRank', 'stepTime', 'exposedTime', 'hidden'],
      starts: 'rest',
    },
    same: {
      run: `${NET.replace('at=2', 'at=40')}&world=4&zero=3&compare=1`,
      show: ['loss'],
      controls: ['play', { key: 'zero', label: 'Stage', values: STAGES }],
      caption: 'The same training at each stage, beside one device with the whole batch.',
      numbers: ['loss', 'difference', 'bytesPerRank'],
      starts: 'rest',
    },
  },
  predictions: {
    peak: {
      question:
        'At stage 3 on four ranks a rank keeps a quarter of the model and its states between two steps. How much memory does it need at its peak, compared with DDP?',
      answer: { figure: 'stages', of: 'allocated:0' },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'A quarter', right: (peak, facts) => peak < 0.3 * whole(facts) },
          {
            text: 'More than a quarter, less than all',
            right: (peak, facts) => peak >= 0.3 * whole(facts) && peak < whole(facts),
          },
          { text: 'As much as DDP', right: (peak, facts) => peak >= whole(facts) },
        ],
      },
      why: 'It is {allocated:0}, and {heldMemory:0} between steps. The layer that computes is whole, the next layer is already gathered, and the activations of the rank’s own rows are not sharded at all.',
    },
    volume: {
      question: 'How much does a rank send in a step at stage 3, compared with DDP?',
      answer: { figure: 'order', of: 'bytesPerRank' },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'As much', right: (sent, facts) => sentTimes(sent, facts) < 2.5 },
          {
            text: 'Half as much again',
            right: (sent, facts) => sentTimes(sent, facts) >= 2.5 && sentTimes(sent, facts) < 3.5,
          },
          {
            text: 'Twice as much',
            right: (sent, facts) => sentTimes(sent, facts) >= 3.5 && sentTimes(sent, facts) < 6,
          },
          { text: 'As many times as there are ranks', right: (sent, facts) => sentTimes(sent, facts) >= 6 },
        ],
      },
      why: 'A rank sends {bytesPerRank}: {allGathers} all-gathers and {reduceScatters} reduce-scatters. An all-reduce is one of each; stage 3 gathers every layer once more, for backward.',
    },
  },
  tasks: {
    scatter: {
      figure: 'turn',
      text: 'Step to the moment at which the ranks reduce-scatter the gradients of a layer.',
      hint: '“Step moment” goes one moment further. It is in backward, after the last gradient of the layer.',
      done: scattering,
      solution: Array.from({ length: 17 }, () => ({ press: 'moment' }) as const),
    },
    fifth: {
      figure: 'stages',
      text: 'Let rank 0 keep less than a fifth of the model and its states between two steps.',
      hint: 'Which stages shard the parameters, the gradients and the states, and into how many shards?',
      done: (facts) => number(facts, 'heldMemory:0') < whole(facts) / 5,
      solution: [{ set: { world: '8' } }],
    },
    cheap: {
      figure: 'order',
      text: 'Shard the gradients and the states, and let a rank send no more bytes than under DDP.',
      hint: 'If the ranks do not free a layer after forward, they need not gather it again for backward.',
      done: (facts) =>
        number(facts, 'reduceScatters') > 0 && number(facts, 'allGathers') === number(facts, 'reduceScatters'),
      solution: [{ set: { zero: '2' } }],
    },
  },
});
