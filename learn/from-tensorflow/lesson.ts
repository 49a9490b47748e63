/** Strategies of tf.distribute beside what PyTorch has for them, as runs. */
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'layers=2-16-16-1&batch=48';

const MODES = { key: 'mode', label: 'Strategy', values: ['ps', 'ddp'], words: ['Parameter server', 'Mirrored'] };

/** Training that has come to nothing: what it began with is about 0.7. */
const LOST = 1;

export const lesson = defineLesson({
  card: { figure: 'stale', view: 'loss' },
  figures: {
    mirrored: {
      run: `mode=ddp&world=4&${NET}&at=2&moment=1`,
      show: ['stage'],
      controls: ['play', 'moment', { key: 'world', label: 'GPUs', values: ['1', '2', '4'] }],
      caption: 'What MirroredStrategy does: four replicas, one all-reduce of the gradients, four equal updates.',
      numbers: ['ranks', 'effectiveBatch', 'rowsPerRank', 'bytesPerRank', 'divergence'],
      starts: 'walk',
    },
    server: {
      run: `mode=ps&world=4&${NET}&at=2&moment=2`,
      show: ['stage'],
      controls: ['play', 'moment', MODES, { key: 'world', label: 'Devices', values: ['2', '4', '8'] }],
      caption: 'A server that stores the variables. The workers pull variables and push gradients.',
      numbers: ['devices', 'gradientBytes', 'bytesPerRank:0', 'bytesPerRank:1', 'bytesInAll', 'idle:1'],
      starts: 'rest',
    },
    stale: {
      run: 'mode=ps&world=4&layers=2-8-1&data=gauss&batch=48&opt=sgd&lr=0.3&momentum=0.9&synchronous=0&staleness=2&at=60',
      show: ['loss', 'field'],
      controls: [
        'play',
        'reset',
        { key: 'staleness', label: 'Updates between pull and push', values: ['0', '2', '8', '16'] },
      ],
      caption:
        'The workers do not wait for each other, so the variables have changed between the computing of a gradient and its update.',
      numbers: ['stepsDone', 'trainLoss', 'accuracy'],
      starts: 'rest',
    },
  },
  predictions: {
    eight: {
      question: 'One server has seven workers. How many bytes does the server send in a step?',
      answer: { figure: 'server', of: 'bytesPerRank:0', with: { world: '8' } },
      guess: { kind: 'number', from: 0, to: 20_000, step: 200 },
      why: 'It sends {bytesPerRank:0}: all variables, {gradientBytes}, to each of the seven workers. The server also receives as many bytes of gradients.',
      plot: {
        figure: 'server',
        of: 'bytesPerRank',
        over: 'world',
        label: 'Devices',
        values: ['2', '4', '6', '8'],
        beside: [{ label: 'Mirrored, with a ring', with: { mode: 'ddp' } }],
      },
    },
  },
  tasks: {
    relieve: {
      figure: 'server',
      text: 'Use eight devices, and let no device send more than twice the size of the gradients.',
      hint: 'The server sends all variables to every worker. A ring has no server.',
      done: (facts) => {
        const gradients = measure(facts, 'gradientBytes') ?? 0;
        return facts.info?.worldSize === 8 && (measure(facts, 'bytesPerRank') ?? Infinity) <= 2 * gradients;
      },
      solution: [{ set: { world: '8' } }, { set: { mode: 'ddp' } }],
    },
    spoil: {
      figure: 'stale',
      text: 'Make the gradients so old that training fails: the loss over all rows ends higher than it started.',
      hint: 'Let sixteen updates pass between pull and push, and let the run train for a while.',
      done: ({ app }) => (app.snapshot?.trainLoss ?? 0) > LOST && app.losses.length >= 20,
      solution: [{ set: { staleness: '16' } }, { press: 'play' }, 'wait'],
    },
  },
});
