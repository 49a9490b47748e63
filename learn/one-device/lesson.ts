/** One device: what the kernels of a step are, what memory they need, and what of it stays between steps. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';
import { momentsOf } from '../../src/trace/moments/moments';

/** Half of what the figure's run has in use at most, as the figure begins. */
const HALF = 69_248;

export const lesson = defineLesson({
  figures: {
    step: {
      run: 'mode=single&layers=2-8-8-1&opt=sgd&batch=32&hardware=transputer&at=1&moment=4',
      show: ['stage'],
      controls: ['play', 'moment'],
      caption: 'One training step on one device. In each moment one thing happens.',
      numbers: ['moments', 'kernels', 'parameters', 'rowsPerRank', 'liveMemory'],
      starts: 'walk',
    },
    memory: {
      run: 'mode=single&layers=2-64-64-1&opt=adam&batch=64&hardware=transputer&at=1&moment=6',
      show: ['stage'],
      controls: [
        'play',
        'moment',
        { key: 'batch', label: 'Batch', values: ['16', '64', '256'] },
        { key: 'opt', label: 'Optimiser', values: ['adam', 'sgd'], words: ['Adam', 'SGD'] },
      ],
      caption:
        'A wider net, just after its forward pass. The bar of cuda:0 shows what is in memory at this moment, by kind.',
      numbers: ['liveMemory', 'allocated', 'heldMemory', 'parameterMemory', 'gradientMemory', 'optimizerMemory'],
      starts: 'rest',
    },
    time: {
      run: 'mode=single&layers=2-64-64-1&opt=adam&batch=64&hardware=pcie4&at=1&moment=14',
      show: ['timeline'],
      controls: [
        'play',
        'moment',
        { key: 'batch', label: 'Batch', values: ['16', '64', '256'] },
        { key: 'hardware', label: 'Machine', values: ['pcie4', 'transputer'], words: ['A100', 'slow machine'] },
      ],
      caption: 'The kernels of the same step over time. Point at a kernel to see what it reads and writes.',
      numbers: ['stepTime', 'phaseTime:forward', 'phaseTime:backward', 'phaseTime:step', 'rowsPerSecond'],
      starts: 'rest',
    },
  },
  predictions: {
    fullest: {
      question: 'At which point of the step is the memory fullest?',
      answer: { figure: 'memory', of: 'fullestMoment' },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'When forward has finished the last layer', right: isIn('forward') },
          { text: 'A few kernels into backward', right: isIn('backward') },
          { text: 'While `optimizer.step()` runs', right: isIn('step') },
        ],
      },
      why: 'At moment {fullestMoment} of {moments}, with {allocated}. All activations that forward kept are still in memory, and backward has begun to add the gradients of the layers’ outputs. When the optimiser runs, nearly all of these tensors have been freed.',
    },
    backward: {
      question: 'How long does backward take on the slow machine?',
      answer: { figure: 'time', of: 'phaseTime:backward', with: { hardware: 'transputer' } },
      guess: { kind: 'number', from: 0, to: 1_600_000, step: 20_000 },
      why: 'Forward takes {phaseTime:forward}, backward {phaseTime:backward}. Each Linear layer needs one matrix product in forward and two in backward. The first layer needs only one: its input is the data, and training needs no gradient of the data.',
    },
  },
  tasks: {
    top: {
      figure: 'memory',
      text: 'Find the moment at which the memory of cuda:0 is fullest.',
      hint: 'The moment is in backward. Step forward from the moment at which the figure starts, and watch the bar.',
      done: (facts) => facts.moment !== undefined && facts.moment.index + 1 === measure(facts, 'fullestMoment'),
      solution: [{ set: { moment: '10' } }],
    },
    half: {
      figure: 'memory',
      text: 'Keep the net. Halve the peak of the memory that the figure had at the start.',
      hint: 'One of the two controls lowers the hill, the other lowers the floor. You need both.',
      done: (facts) => (measure(facts, 'allocated') ?? HALF + 1) <= HALF,
      solution: [{ set: { batch: '16', opt: 'sgd' } }],
    },
  },
  plots: {
    hill: {
      figure: 'memory',
      of: 'liveMemory',
      over: 'moment',
      label: 'moment of the step',
      values: ['0', '3', '5', '8', '10', '13'],
      beside: [
        { label: 'batch of 256', with: { batch: '256' } },
        { label: 'SGD', with: { opt: 'sgd' } },
      ],
    },
  },
});

/** The moment of that number is in the phase. */
function isIn(phase: 'forward' | 'backward' | 'step') {
  return (moment: number, { trace }: Facts): boolean =>
    trace !== undefined && momentsOf(trace)[moment - 1]?.phase === phase;
}
