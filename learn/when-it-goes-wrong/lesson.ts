/** Ranks that end, wait, are slow or disagree; what the others do then, and what brings a job back. */
import type { Facts } from '../../src/lessons/facts/facts';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'mode=ddp&world=4&layers=2-8-1&batch=32';

/** A rank was killed, all were started again, and training goes on. */
const wentOn = ({ app, pressed }: Facts): boolean =>
  pressed.includes('kill') &&
  app.state !== 'failed' &&
  app.notices.some(({ id, text }) => id === 'rank-failed' && text.includes('goes on'));

/** Of an untroubled step: what a rank of full speed computes, of the device 0 that is never slowed down. */
const ownWork = ({ metrics }: Facts): number => metrics?.use[0]?.computeUs ?? 0;

export const lesson = defineLesson({
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
      caption: 'A job of four ranks. The button ends the process of the last one.',
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
      caption: 'Rank 0 has one batch more than the others. Here the timeout is a few seconds long.',
      numbers: ['batchesPerEpoch', 'stepsDone', 'rowsPerRank'],
      starts: 'rest',
    },
    slow: {
      run: 'mode=ddp&world=4&layers=2-16-16-1&batch=32&hardware=transputer&slow=!(rank(rank:2,factor:1))&at=2',
      show: ['timeline'],
      controls: [
        {
          key: 'slow',
          label: 'Rank 2 takes for its work',
          values: ['!(rank(rank:2,factor:1))', '!(rank(rank:2,factor:2))', '!(rank(rank:2,factor:5))'],
          words: ['as long as the others', 'twice as long', 'five times as long'],
        },
      ],
      caption: 'One step of four ranks with work of the same size. One of the ranks can be made slower.',
      numbers: ['stepTime', 'computing:0', 'computing:2', 'idle:0', 'idle:2'],
      starts: 'rest',
    },
  },
  predictions: {
    late: {
      question: 'One of four ranks takes twice as long for its work. What becomes of the step?',
      answer: { figure: 'slow', of: 'stepTime', with: { slow: '!(rank(rank:2,factor:2))' } },
      guess: {
        kind: 'choice',
        choices: [
          {
            text: 'About a quarter longer: one rank of four is slow',
            right: (us, facts) => us >= 1.1 * ownWork(facts) && us < 1.6 * ownWork(facts),
          },
          {
            text: 'About twice as long: all wait for the slow rank',
            right: (us, facts) => us >= 1.6 * ownWork(facts),
          },
          {
            text: 'As long as before: the others go on without it',
            right: (us, facts) => us < 1.1 * ownWork(facts),
          },
        ],
      },
      why: 'It takes {stepTime}. Without the gradients of rank 2 no bucket can be reduced, so the three others are done early and wait.',
    },
  },
  tasks: {
    survive: {
      figure: 'kill',
      text: 'End the process of a rank, and see the job go on.',
      hint: 'With --max-restarts above zero all ranks are started again from the last checkpoint.',
      done: wentOn,
      solution: [{ set: { restarts: '3' } }, { press: 'kill' }, 'wait'],
    },
    cure: {
      figure: 'uneven',
      text: 'Press Play and let the job hang. Then cure it, and train past the end of the epoch.',
      hint: 'Ranks without a batch must still take part in the all-reduces of the others.',
      done: ({ app, info }) => info?.config.ddp.join === true && app.losses.length > info.batchesPerEpoch,
      solution: [{ set: { join: '1' } }, { press: 'play' }, 'wait'],
    },
  },
});
