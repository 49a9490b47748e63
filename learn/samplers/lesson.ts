import { DEALT } from '../../src/lessons/drawing/kinds/deal';
import { defineLesson } from '../../src/lessons/lesson';

const TEN_ROWS = 'mode=ddp&world=4&data=gauss&samples=10&test=0&layers=2-4-1&opt=sgd&momentum=0&lr=0.1&batch=40';

/** Three epochs of the ten rows for each setting of the drawing. */
const DEALS = Object.fromEntries(
  DEALT.ranks.flatMap((ranks) =>
    DEALT.dropLast.map((drop) => [
      `${ranks} ${drop}`,
      `${TEN_ROWS.replace('world=4', `world=${ranks}`)}&dropLast=${drop}&at=${DEALT.epochs}`,
    ]),
  ),
);

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
      caption: 'One epoch of a data set with ten rows. Each rank reads all its rows in one batch.',
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
      caption: 'The third epoch of the same ten rows. “Step iteration” goes one epoch further.',
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
  },
  predictions: {
    read: {
      question:
        'Divide the ten rows among eight ranks, with drop_last=False. How many rows do the ranks read in one epoch, all together?',
      answer: { figure: 'deal', of: 'rowsRead', with: { world: '8' } },
      guess: { kind: 'number', from: 8, to: 20, step: 1 },
      why: 'Every rank reads {rowsPerRank} rows, because all ranks must have the same number. Most of the {differentRows} rows are read twice.',
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
        'The script shuffles but never calls set_epoch. How many different rows has rank 0 read after three epochs?',
      answer: { figure: 'forgot', of: 'rowsSeen:0' },
      guess: { kind: 'number', from: 1, to: 10, step: 1 },
      why: 'The rows are shuffled only once. In every epoch rank 0 reads the same {rowsSeen:0} rows.',
    },
  },
  tasks: {
    even: {
      figure: 'deal',
      text: 'Make the ranks read every row exactly once in an epoch.',
      hint: 'The number of ranks has to divide the number of rows. Do not change drop_last.',
      done: ({ trace, info }) => {
        const rows = trace?.samples.flat() ?? [];
        return info !== undefined && rows.length === info.dataset.rows && new Set(rows).size === rows.length;
      },
      solution: [{ set: { world: '5' } }],
    },
    fresh: {
      figure: 'forgot',
      text: 'Make rank 0 read different rows in its second epoch than in its first.',
      hint: 'The sampler draws its list from seed + epoch. Who tells the sampler which epoch it is?',
      done: ({ app }) => {
        const [first, second] = app.traces
          .filter(({ kind }) => kind.type !== 'construct')
          .map(({ samples }) => samples[0]);
        return first !== undefined && second !== undefined && first.join() !== second.join();
      },
      solution: [{ set: { setEpoch: '1' } }],
    },
  },
  drawings: {
    paint: {
      kind: 'deal',
      caption:
        'Choose a rank, then press the entries that this rank reads, or draw over them. A cross marks an entry that another rank reads.',
      runs: DEALS,
    },
  },
});
