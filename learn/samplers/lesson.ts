import { defineLesson } from '../../src/lessons/lesson';

const TEN_ROWS = 'mode=ddp&world=4&data=gauss&samples=10&test=0&layers=2-4-1&opt=sgd&momentum=0&lr=0.1&batch=40';

export const lesson = defineLesson({
  figures: {
    deal: {
      run: `${TEN_ROWS}&at=1&moment=1`,
      show: ['stage'],
      controls: [
        'iteration',
        { key: 'world', label: 'Ranks', values: ['2', '3', '4', '5', '8'] },
        { key: 'dropLast', label: 'drop_last', values: ['0', '1'], words: ['False', 'True'] },
        { key: 'shuffle', label: 'shuffle', values: ['1', '0'], words: ['True', 'False'] },
      ],
      caption: 'One epoch of a data set of ten rows: each rank reads all of its rows in one batch.',
      numbers: ['ranks', 'rows', 'rowsPerRank', 'rowsRead', 'differentRows'],
      starts: 'rest',
      height: 420,
    },
    forgot: {
      run: `${TEN_ROWS}&setEpoch=0&at=3&moment=1`,
      show: ['stage'],
      controls: [
        'iteration',
        { key: 'setEpoch', label: 'set_epoch', values: ['0', '1'], words: ['never', 'each epoch'] },
      ],
      caption: 'The third epoch of the same ten rows. “Step iteration” is one more epoch.',
      numbers: ['step', 'rowsSeen:0', 'rowsSeen:1', 'rowsSeen:2', 'rowsSeen:3'],
      starts: 'rest',
      height: 420,
    },
    teeth: {
      run: 'mode=ddp&world=4&data=gauss&noise=0.5&samples=32&test=0&layers=2-8-1&opt=sgd&momentum=0&lr=0.1&batch=4&setEpoch=0&at=40&speed=20/s',
      show: ['loss'],
      controls: [
        'play',
        'reset',
        { key: 'setEpoch', label: 'set_epoch', values: ['0', '1'], words: ['never', 'each epoch'] },
      ],
      caption: 'The loss of each step: one line per rank, and the mean in black. An epoch has eight steps.',
      numbers: ['batchesPerEpoch', 'stepsDone', 'loss:2', 'loss:10', 'loss:18', 'trainLoss'],
      starts: 'rest',
    },
    seeds: {
      run: 'mode=ddp&world=4&data=gauss&samples=64&test=0&layers=2-4-1&opt=sgd&momentum=0&lr=0.1&batch=32&rankSeeds=beforeModel&at=3',
      show: ['stage'],
      controls: [
        'moment',
        { key: 'initSync', label: 'DDP broadcasts', values: ['1', '0'], words: ['yes', 'no'] },
        {
          key: 'rankSeeds',
          label: 'manual_seed(seed + rank)',
          values: ['same', 'beforeModel', 'afterModel'],
          words: ['never', 'before the model', 'after it'],
        },
      ],
      caption: 'The end of a step: the weights of each rank above, the gradients that it has applied below.',
      numbers: ['step', 'divergence', 'lossOfRank:0', 'lossOfRank:1', 'lossOfRank:2', 'lossOfRank:3'],
      starts: 'rest',
      height: 460,
    },
  },
  predictions: {
    read: {
      question:
        'The same ten rows on eight ranks, with drop_last left out: how many rows do they read in one epoch, all together?',
      answer: { figure: 'deal', of: 'rowsRead', with: { world: '8' } },
      guess: { kind: 'number', from: 8, to: 20, step: 1 },
      why: 'Every rank reads {rowsPerRank}, so that none waits for another: of the {differentRows} rows, most are read twice.',
      plot: {
        figure: 'deal',
        of: 'rowsRead',
        over: 'world',
        label: 'ranks',
        values: ['2', '3', '4', '5', '8'],
        beside: [{ label: 'with drop_last=True', with: { dropLast: '1' } }],
      },
    },
    same: {
      question:
        'The script shuffles, but never calls set_epoch. After three epochs, how many different rows has rank 0 read?',
      answer: { figure: 'forgot', of: 'rowsSeen:0' },
      guess: { kind: 'number', from: 1, to: 10, step: 1 },
      why: 'The order is shuffled once. Rank 0 reads the {rowsSeen:0} rows of its first epoch again and again.',
    },
  },
  tasks: {
    even: {
      figure: 'deal',
      text: 'Read every row exactly once in an epoch: none left out, none twice.',
      hint: 'The rows must divide evenly. Leave drop_last as it is and change the number of ranks.',
      done: ({ trace, info }) => {
        const rows = trace?.samples.flat() ?? [];
        return info !== undefined && rows.length === info.dataset.rows && new Set(rows).size === rows.length;
      },
      solution: [{ set: { world: '5' } }],
    },
    fresh: {
      figure: 'forgot',
      text: 'Let rank 0 read other rows in its second epoch than in its first.',
      hint: 'The sampler draws its order from seed + epoch. Who says the epoch to it?',
      done: ({ app }) => {
        const [first, second] = app.traces
          .filter(({ kind }) => kind.type !== 'construct')
          .map(({ samples }) => samples[0]);
        return first !== undefined && second !== undefined && first.join() !== second.join();
      },
      solution: [{ set: { setEpoch: '1' } }],
    },
    part: {
      figure: 'seeds',
      text: 'Make the replicas differ: four ranks that train four nets.',
      hint: 'Their first weights are drawn from different seeds. What makes them alike before the first step?',
      done: ({ app }) => (app.snapshot?.replicaDivergence ?? 0) > 0,
      solution: [{ set: { initSync: '0' } }],
    },
    alike: {
      figure: 'seeds',
      text: 'Now make them alike again, without the broadcast, and still with a seed of its own for each rank.',
      hint: 'The weights are drawn when the model is built. What is drawn later may differ.',
      done: ({ app }) =>
        !app.config.ddp.initSync && app.config.ddp.rankSeeds === 'afterModel' && app.snapshot?.replicaDivergence === 0,
      solution: [{ set: { initSync: '0', rankSeeds: 'afterModel' } }],
    },
  },
});
