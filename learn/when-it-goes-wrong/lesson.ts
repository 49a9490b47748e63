/** Ranks that end, wait, are slow or disagree; what the others do then, and what brings a job back. */
import type { Facts } from '../../src/lessons/facts/facts';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'mode=ddp&world=4&layers=2-8-1&batch=32';

/** A rank was killed, all were started again, and training goes on. */
const wentOn = ({ app, pressed }: Facts): boolean =>
  pressed.includes('kill') &&
  app.state !== 'failed' &&
  app.notices.some(({ id, text }) => id === 'rank-failed' && text.includes('continues'));

/** Of an untroubled step: what a rank of full speed computes, of the device 0 that is never slowed down. */
const ownWork = ({ metrics }: Facts): number => metrics?.use[0]?.computeUs ?? 0;

export const lesson = defineLesson({
  card: { figure: 'slow', view: 'timeline' },
  figures: {
    kill: {
      run: `${NET}&data=gauss&at=12&speed=1s`,
      show: ['stage', 'loss'],
      controls: [
        'play',
        'kill',
        {
          key: 'restarts',
          label: '--max-restarts',
          values: ['0', '3'],
        },
      ],
      caption: 'A job of four ranks. “End rank 3” kills the process of rank 3.',
      numbers: ['ranks', 'stepsDone', 'loss', 'divergence'],
      starts: 'train',
    },
    uneven: {
      run: `${NET}&samples=136&test=0&perRank=!(40,32,32,32)&timeout=5&restarts=0&at=3`,
      show: ['stage'],
      controls: [
        'play',
        { key: 'join', label: 'with ddp.join()', values: ['0', '1'], words: ['without', 'with'] },
        'reset',
      ],
      caption: 'Rank 0 has one batch more than the others. The timeout here is a few seconds.',
      numbers: ['batchesPerEpoch', 'stepsDone', 'rowsPerRank'],
      starts: 'rest',
    },
    slow: {
      run: 'mode=ddp&world=4&layers=2-16-16-1&batch=32&hardware=transputer&slow=!(rank(rank:2,factor:1))&at=2',
      show: ['timeline'],
      controls: [
        {
          key: 'slow',
          label: 'Rank 2 computes',
          values: ['!(rank(rank:2,factor:1))', '!(rank(rank:2,factor:2))', '!(rank(rank:2,factor:5))'],
          words: ['as long as the others', 'twice as long', 'five times as long'],
        },
      ],
      caption: 'One step of four ranks, each with the same amount of work. You can make rank 2 slower.',
      numbers: ['stepTime', 'computing:0', 'computing:2', 'idle:0', 'idle:2'],
      starts: 'rest',
    },
  },
  predictions: {
    late: {
      question: 'One of four ranks takes twice as long for its work. How much longer does the step take?',
      answer: { figure: 'slow', of: 'stepTime', with: { slow: '!(rank(rank:2,factor:2))' } },
      guess: {
        kind: 'choice',
        choices: [
          {
            text: 'About a quarter longer, since one of four ranks is slow',
            right: (us, facts) => us >= 1.1 * ownWork(facts) && us < 1.6 * ownWork(facts),
          },
          {
            text: 'About twice as long, since all ranks wait for the slow one',
            right: (us, facts) => us >= 1.6 * ownWork(facts),
          },
          {
            text: 'Not at all, since the others continue without it',
            right: (us, facts) => us < 1.1 * ownWork(facts),
          },
        ],
      },
      why: 'The step takes {stepTime}. No bucket can be reduced without the gradients of rank 2, so the other three ranks finish early and wait.',
    },
  },
  tasks: {
    survive: {
      figure: 'kill',
      text: 'Kill a rank, and make the job continue.',
      hint: 'If --max-restarts is above zero, all ranks are started again from the last checkpoint.',
      done: wentOn,
      solution: [{ set: { restarts: '3' } }, { press: 'kill' }, 'wait'],
    },
    cure: {
      figure: 'uneven',
      text: 'Press Play and let the job hang. Then cure it, and train past the end of the epoch.',
      hint: 'A rank without a batch still has to take part in the all-reduces of the others.',
      done: ({ app, info }) => info?.config.ddp.join === true && app.losses.length > info.batchesPerEpoch,
      solution: [{ set: { join: '1' } }, { press: 'play' }, 'wait'],
    },
  },
});
