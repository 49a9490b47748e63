import { defineLesson } from '../../src/lessons/lesson';

const WIDE =
  'mode=ddp&world=4&data=spiral&samples=512&test=0&layers=2-64-64-1&opt=sgd&momentum=0&lr=0.1&hardware=ethernet10g&bucket=default';

/** Two weights and all rows in each step, so that the whole loss is a map and each step goes straight down on it. */
const TWO_WEIGHTS =
  'mode=ddp&world=4&data=gauss&noise=0.1&samples=256&test=0&model=linear1b0&loss=mse&opt=sgd&momentum=0&batch=256&at=1';

export const lesson = defineLesson({
  figures: {
    rate: {
      run: 'mode=ddp&world=4&data=gauss&samples=256&test=0&layers=2-8-8-1&opt=sgd&momentum=0&lr=0.05&batch=32&at=80&speed=20/s',
      show: ['loss'],
      controls: [
        'play',
        'reset',
        { key: 'lr', label: 'Learning rate', values: ['0.05', '0.1', '0.2', '0.4', '0.8', '3.2'] },
      ],
      caption: 'Ten epochs on four ranks: the loss of each rank’s own rows, and the mean in black.',
      numbers: ['effectiveBatch', 'batchesPerEpoch', 'learningRate', 'stepsDone', 'trainLoss'],
      starts: 'rest',
    },
    micro: {
      run: `${WIDE}&batch=512&accumulate=4&at=3`,
      show: ['memory'],
      controls: [
        { key: 'batch', label: 'Rows per step, all ranks', values: ['128', '256', '512', '1024'] },
        { key: 'accumulate', label: 'Micro-batches', values: ['1', '2', '4', '8', '16'] },
      ],
      caption:
        'The memory that cuda:0 uses during a step. Only the activations grow with the number of rows in a micro-batch.',
      numbers: [
        'effectiveBatch',
        'accumulate',
        'rowsPerRank',
        'activationMemory:0',
        'gradientMemory:0',
        'peakMemory:0',
      ],
      starts: 'rest',
    },
    nosync: {
      run: `${WIDE}&batch=512&accumulate=4&noSync=none&at=3.1`,
      show: ['timeline'],
      controls: [
        'moment',
        'iteration',
        {
          key: 'noSync',
          label: 'Inside no_sync()',
          values: ['none', 'backward', 'both'],
          words: ['nothing', 'backward', 'forward and backward'],
        },
      ],
      caption:
        'The first of four micro-batches, on a modelled cluster with slow links. “Step iteration” goes to the next micro-batch.',
      numbers: ['bytesPerRank', 'computeTime', 'exposedTime', 'stepTime'],
      starts: 'rest',
    },
  },
  predictions: {
    quarter: {
      question:
        'Four ranks, the same batch_size in each rank’s loader, the same learning rate, again ten epochs. Which loss does the script reach?',
      answer: { figure: 'rate', of: 'trainLoss' },
      guess: { kind: 'number', from: 0, to: 0.7, step: 0.01 },
      why: 'An epoch now has {batchesPerEpoch} steps, a quarter as many as on one device, and a step moves the weights no further than before.',
      plot: {
        figure: 'rate',
        of: 'trainLoss',
        over: 'lr',
        label: 'learning rate',
        values: ['0.05', '0.1', '0.2', '0.4', '0.8'],
      },
    },
    backward: {
      question:
        'Somebody puts loss.backward() inside no_sync(), but output = model(x) before it. What does a rank send in the first of four micro-batches?',
      answer: { figure: 'nosync', of: 'bytesPerRank', with: { noSync: 'backward' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'Nothing, because backward starts the all-reduces', right: (sent) => sent === 0 },
          { text: 'As much as without no_sync()', right: (sent) => sent > 0 },
        ],
      },
      why: 'Each rank sends {bytesPerRank}. DDP decides in forward whether it will reduce the gradients of the next backward pass.',
    },
  },
  tasks: {
    scale: {
      figure: 'rate',
      text: 'Reach the loss of one device in the same number of epochs. Change only the learning rate.',
      hint: 'There are only a quarter as many steps, so each step has to be four times as long.',
      done: ({ app }) => app.config.optimizer.lr < 0.4 && (app.snapshot?.trainLoss ?? 1) < 0.045,
      solution: [{ set: { lr: '0.2' } }],
    },
    wild: {
      figure: 'rate',
      text: 'Find a learning rate at which the loss of some step is clearly higher than the loss of the first step.',
      hint: 'Try the largest learning rate.',
      done: ({ app: { losses } }) => losses.some(({ loss }) => loss > (losses[0]?.loss ?? 0) + 0.2),
      solution: [{ set: { lr: '3.2' } }],
    },
    small: {
      figure: 'micro',
      text: 'Reduce the memory of the activations to less than a third, with the same number of rows per optimiser step.',
      hint: 'Keep the batch, and cut it into more micro-batches.',
      done: ({ app, info }) =>
        app.config.batchSize === 512 && (info?.memory[0]?.byCategory.activation ?? Number.POSITIVE_INFINITY) < 8704,
      solution: [{ set: { accumulate: '16' } }],
    },
    quiet: {
      figure: 'nosync',
      text: 'Make the first micro-batch send nothing.',
      hint: 'The call of model(x) decides whether gradients are sent.',
      done: ({ trace, metrics, app }) =>
        trace !== undefined && trace.microBatch % app.config.accumulate === 0 && metrics?.traffic.total === 0,
      solution: [{ set: { noSync: 'both' } }],
    },
  },
  drawings: {
    surface: {
      kind: 'loss-surface',
      caption:
        'Every point of the map is a pair of weights, shaded by the loss over all rows. The red line shows the weights during training, one dot per step.',
      runs: Object.fromEntries(['0.2', '0.8', '1.6', '3.6', '4.2'].map((lr) => [lr, `${TWO_WEIGHTS}&lr=${lr}`])),
    },
  },
  plots: {
    memory: {
      figure: 'micro',
      of: 'activationMemory',
      over: 'accumulate',
      label: 'micro-batches per step',
      values: ['1', '2', '4', '8', '16'],
    },
  },
});
