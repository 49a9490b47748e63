/** Half precision: what sixteen bits hold, what autocast runs in them, and what a GradScaler saves. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

/** A residual block and a layer, small enough to be read on the stage. */
const SMALL =
  'mode=single&data=regression&in=4&out=4&model=res(linear4-tanh-linear4)-linear4&loss=mse&opt=sgd&batch=4&samples=64&test=0&hardware=transputer&at=2';
const GPT = 'mode=single&preset=gpt&gpt=4-4-16&data=text&context=16&batch=16&test=0&hardware=transputer&at=1';
/** Sigmoids one behind the other: each makes the gradient at least four times smaller. */
const DEEP =
  'mode=single&data=circle&samples=100&layers=2-8-8-8-8-8-8-8-1&act=sigmoid&opt=adam&lr=0.02&eps=1e-12&batch=50&test=0&hardware=transputer&at=2';
const SCALED =
  'mode=single&data=circle&samples=400&layers=2-8-8-1&opt=sgd&lr=0.1&batch=40&test=0&hardware=transputer&precision=autocast-fp16&scaler=1&at=60';
const CLIPPED =
  'mode=single&data=circle&samples=200&layers=2-16-16-1&opt=sgd&lr=0.3&momentum=0.9&batch=50&test=0&hardware=transputer&precision=autocast-fp16&scaler=1&clip=1&at=100';

const number = (facts: Facts, of: Parameters<typeof measure>[1]): number => measure(facts, of) ?? Number.NaN;

const PRECISION = {
  key: 'precision',
  label: 'Precision',
  values: ['float32', 'autocast-bf16', 'autocast-fp16'],
  words: ['float32', 'bfloat16', 'float16'],
} as const;

/** At the cursor a gradient goes back to float32, and the reader has stepped there. */
function backInFloat32({ trace, moment, pressed }: Facts): boolean {
  if (!pressed.includes('moment') || moment?.phase !== 'backward') return false;
  return moment.events.some((index) => {
    const e = trace?.events[index];
    return e?.name === 'precision/cast' && e.writes.some((buffer) => buffer.endsWith('.weight.grad'));
  });
}

export const lesson = defineLesson({
  card: { figure: 'casts', view: 'stage' },
  drawings: {
    bits: {
      kind: 'sixteen-bits',
      caption:
        'One number in three formats. The exponent decides how large and how small numbers can be, the fraction how many digits they have. In the paler part of a bar numbers have fewer digits.',
    },
  },
  figures: {
    casts: {
      run: `${SMALL}&precision=autocast-bf16&moment=2`,
      show: ['stage'],
      controls: ['play', 'moment', 'phase', PRECISION],
      caption: 'A residual block and a layer under autocast. The sentence says which type each operator uses.',
      numbers: ['parameters', 'loss', 'parameterMemory:0', 'gradientMemory:0', 'activationMemory:0'],
      starts: 'walk',
    },
    bytes: {
      run: `${GPT}&precision=autocast-bf16`,
      show: ['memory'],
      controls: [PRECISION],
      caption:
        'The memory that a small GPT reserves, by kind. Under autocast, a second row shows the memory of the same run in float32.',
      numbers: ['parameterMemory:0', 'gradientMemory:0', 'optimizerMemory:0', 'activationMemory:0', 'peakMemory:0'],
      starts: 'rest',
    },
    lost: {
      run: `${DEEP}&precision=float32`,
      show: ['range'],
      controls: ['iteration', PRECISION, { key: 'scaler', label: 'Scale the loss', values: ['0', '1'] }],
      caption:
        'The gradients of a net with eight layers: the last layer, in which backward begins, is at the top. Numbers to the left of the band become 0 in float16; between the edge of the band and the dotted line they have fewer digits.',
      numbers: ['gradients', 'zeroGradients', 'infiniteGradients', 'zeroGradients:0', 'loss'],
      starts: 'rest',
    },
    scale: {
      run: `${SCALED}&initScale=1073741824&growthInterval=20`,
      show: ['scale'],
      controls: [
        'play',
        'iteration',
        {
          key: 'initScale',
          label: 'First scale',
          values: ['256', '65536', '1073741824'],
          words: ['2⁸', '2¹⁶', '2³⁰'],
        },
        { key: 'growthInterval', label: 'Growth interval', values: ['5', '20', '2000'] },
      ],
      caption: 'The scale in each step of a run in float16. A cross is a skipped step, which changed no weight.',
      numbers: ['stepsDone', 'scale', 'skippedSteps', 'loss'],
      starts: 'rest',
    },
    clip: {
      run: `${CLIPPED}&unscaleFirst=1`,
      show: ['loss'],
      controls: ['play', { key: 'unscaleFirst', label: 'unscale_ before clipping', values: ['0', '1'] }],
      caption: 'The same training in float16, with gradients clipped after and before they are unscaled.',
      numbers: ['loss', 'trainLoss', 'scale', 'skippedSteps'],
      starts: 'rest',
    },
  },
  predictions: {
    zeros: {
      question:
        'The figure below shows gradients in float32. Its bottom row has the gradients of layer 0. How many of these become 0 if the net trains in float16?',
      answer: { figure: 'lost', of: 'zeroGradients:0', with: { precision: 'autocast-fp16' } },
      guess: { kind: 'number', from: 0, to: 24, step: 1 },
      why: 'It is {zeroGradients:0} of {gradients:0}, and {zeroGradients} in the whole net. No gradient is inf or NaN, and PyTorch gives no warning.',
    },
    skipped: {
      question:
        'A run in float16 begins with a scale of 2³⁰. An infinite gradient halves the scale. How many of the first 60 steps does it skip?',
      answer: { figure: 'scale', of: 'skippedSteps' },
      guess: { kind: 'number', from: 0, to: 60, step: 1 },
      why: 'It skips {skippedSteps}. In the first steps the scale falls until all gradients are finite. After every 20 good steps the scale doubles again, and sometimes it is then too large.',
    },
  },
  tasks: {
    cast: {
      figure: 'casts',
      text: 'Step to the first moment at which the gradient of a layer is cast to float32.',
      hint: '“Step moment” goes one moment further. It is in backward, after the last layer has computed its gradients.',
      done: backInFloat32,
      solution: [{ press: 'reset' }, ...Array.from({ length: 10 }, () => ({ press: 'moment' }) as const)],
    },
    save: {
      figure: 'lost',
      text: 'Train in float16 so that no gradient is 0.',
      hint: 'Gradients that are too small have to be larger before they are rounded.',
      done: (facts) =>
        facts.info?.config.precision === 'autocast-fp16' &&
        number(facts, 'zeroGradients') === 0 &&
        number(facts, 'infiniteGradients') === 0,
      solution: [{ set: { precision: 'autocast-fp16', scaler: '1' } }],
    },
    smooth: {
      figure: 'scale',
      text: 'Let all 60 steps change the weights.',
      hint: 'If the scale starts small and seldom grows, no gradient becomes inf.',
      done: (facts) => number(facts, 'stepsDone') >= 60 && number(facts, 'skippedSteps') === 0,
      solution: [{ set: { initScale: '256', growthInterval: '20' } }],
    },
  },
  plots: {
    learns: {
      figure: 'lost',
      of: 'trainLoss',
      over: 'at',
      label: 'steps',
      values: ['1', '80', '160', '240'],
      beside: [
        { label: 'float16', with: { precision: 'autocast-fp16' } },
        { label: 'float16, scaled', with: { precision: 'autocast-fp16', scaler: '1' } },
      ],
    },
  },
});
