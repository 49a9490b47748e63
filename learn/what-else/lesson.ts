import { defineLesson } from '../../src/lessons/lesson';

const BATCH_NORM =
  'mode=ddp&world=4&data=gauss&noise=0.5&samples=64&test=0&model=linear8-bn1d-tanh-linear1&opt=sgd&momentum=0&lr=0.1&batch=32&bucket=default&at=3';

/** Both runs still have the same weights there, so the batch norms get the same inputs. */
const FIRST_STEP = BATCH_NORM.replace(/at=3$/, 'at=1');

export const lesson = defineLesson({
  figures: {
    norm: {
      run: `${BATCH_NORM}&compare=1&moment=6`,
      show: ['stage'],
      controls: [
        'moment',
        {
          key: 'model',
          label: 'Second layer',
          values: ['linear8-bn1d-tanh-linear1', 'linear8-ln-tanh-linear1', 'linear8-tanh-linear1'],
          words: ['BatchNorm', 'LayerNorm', 'none'],
        },
        { key: 'syncBatchNorm', label: 'SyncBatchNorm', values: ['0', '1'], words: ['no', 'yes'] },
      ],
      caption: 'On each rank, the batch norm computes the mean and the variance of that rank’s own samples.',
      numbers: ['difference', 'divergence', 'bytesPerRank', 'rounds', 'stepTime'],
      starts: 'rest',
      height: 460,
    },
    buffers: {
      run: `${BATCH_NORM}&moment=6`,
      show: ['stage'],
      controls: [
        'moment',
        { key: 'broadcastBuffers', label: 'broadcast_buffers', values: ['1', '0'], words: ['True', 'False'] },
      ],
      caption:
        'The third step. Buffers are sent before the first layer runs, and the batch norm behind that layer changes them.',
      numbers: [
        'element:0/1.running_mean/0',
        'element:1/1.running_mean/0',
        'element:2/1.running_mean/0',
        'element:3/1.running_mean/0',
        'spread:1.running_mean',
      ],
      starts: 'rest',
      height: 460,
    },
    dropout: {
      run: 'mode=ddp&world=4&data=gauss&samples=64&test=0&model=linear8-tanh-dropout0.5-linear1&opt=sgd&momentum=0&lr=0.1&batch=32&bucket=default&at=3&moment=4',
      show: ['stage'],
      controls: [
        'iteration',
        {
          key: 'rankSeeds',
          label: 'manual_seed after the model',
          values: ['same', 'afterModel'],
          words: ['one for all', 'seed + rank'],
        },
      ],
      caption: 'Dropout multiplies by a mask. A zero drops a unit of a sample; the other units are scaled up.',
      numbers: ['spread:2.mask', 'divergence'],
      starts: 'rest',
      height: 460,
    },
  },
  drawings: {
    merge: {
      kind: 'norm-statistics',
      caption:
        'The first step. A dot is one sample in one channel: above, the input of the batch norm; below, its output. The curves show the mean and the spread that the batch norm uses.',
      runs: { '0': `${FIRST_STEP}&syncBatchNorm=0`, '1': `${FIRST_STEP}&syncBatchNorm=1` },
    },
  },
  predictions: {
    batch: {
      question:
        'A net with a batch norm trains on four ranks, and the same net trains on one device with the same samples in each step. How far apart are the weights after three steps?',
      answer: { figure: 'norm', of: 'difference' },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'Only by rounding: less than a millionth', right: (difference) => difference < 1e-6 },
          { text: 'Further: the two runs train differently', right: (difference) => difference >= 1e-6 },
        ],
      },
      why: 'The largest difference is {difference}. The four replicas are equal to each other, but they do not compute what one device would compute.',
    },
    whose: {
      question:
        'A batch norm keeps running statistics for evaluation. After a forward pass, whose samples contribute to the running mean on rank 0?',
      answer: { figure: 'buffers', of: 'spread:1.running_mean' },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'The samples of all ranks, as with gradients', right: (spread) => spread === 0 },
          { text: 'The samples of rank 0', right: (spread) => spread > 0 },
        ],
      },
      why: 'After the forward pass the running means of the ranks differ by up to {spread:1.running_mean}. Each rank has updated its own copy with its own samples, and only the copy of rank 0 is kept.',
    },
  },
  tasks: {
    sync: {
      figure: 'norm',
      text: 'Make the four ranks compute what one device computes, and keep the batch norm.',
      hint: 'The batch norm needs the statistics of all samples of the step.',
      done: ({ app }) =>
        app.config.model.layers.some(({ type }) => type === 'BatchNorm1d') &&
        (app.snapshot?.differenceFromSingle ?? 1) < 1e-6,
      solution: [{ set: { syncBatchNorm: '1' } }],
    },
    free: {
      figure: 'norm',
      text: 'Do the same with a normalisation that sends no message at all.',
      hint: 'Which layer normalises one sample at a time?',
      done: ({ app }) =>
        app.config.model.layers.some(({ type }) => type === 'LayerNorm') &&
        (app.snapshot?.differenceFromSingle ?? 1) < 1e-6,
      solution: [{ set: { model: 'linear8-ln-tanh-linear1' } }],
    },
    masks: {
      figure: 'dropout',
      text: 'Give each rank its own masks, and keep the replicas equal.',
      hint: 'The seeds may differ once the weights have been drawn.',
      done: ({ app }) => app.config.ddp.rankSeeds === 'afterModel' && app.snapshot?.replicaDivergence === 0,
      solution: [{ set: { rankSeeds: 'afterModel' } }],
    },
  },
});
