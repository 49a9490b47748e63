/**
 * Reading a trace: exposed communication, a straggler, small kernels. The drawings are recordings of torch.profiler,
 * divided by the recordings room; in the figures the reader makes the same three troubles.
 */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'mode=ddp&world=4&layers=2-16-16-16-1&batch=64';

const lateRank = (rank: number): string => `!(rank(rank:${rank},factor:3))`;
/** Job A, B and C. */
const JOBS = [lateRank(3), lateRank(0), lateRank(2)];

/** Of the figure `kernels` with 32 rows: claims.test.ts holds both. */
const ROWS_PER_SECOND = 363_350;
const STEP_US = 88;

const slowRank = ({ info }: Facts): number | undefined =>
  info?.config.stragglers.flatMap((own) => ('rank' in own ? [own.rank] : []))[0];

export const lesson = defineLesson({
  figures: {
    exposed: {
      run: `${NET}&bucket=1KiB&hardware=transputer&at=2`,
      show: ['timeline'],
      controls: [
        'play',
        {
          key: 'bucket',
          label: 'Bucket cap',
          values: ['0.0625KiB', '1KiB', '4KiB'],
          words: ['64 B', '1 KiB', '4 KiB'],
        },
        { key: 'overlap', label: 'All-reduce', values: ['1', '0'], words: ['when ready', 'after backward'] },
      ],
      caption: 'A step of four ranks in the playground, with two lanes per rank as in the recording.',
      numbers: ['buckets', 'computeTime', 'commTime', 'exposedTime', 'hidden', 'stepTime'],
      starts: 'rest',
    },
    jobs: {
      run: `${NET}&bucket=1KiB&hardware=transputer&slow=${JOBS[0]}&at=2`,
      show: ['timeline'],
      controls: [{ key: 'slow', label: 'Job', values: JOBS, words: ['A', 'B', 'C'] }],
      caption: 'Three jobs. In each job a different rank is slow.',
      numbers: ['stepTime', 'exposedTime:0', 'exposedTime:1', 'exposedTime:2', 'exposedTime:3'],
      starts: 'rest',
    },
    kernels: {
      run: 'mode=single&layers=2-16-16-16-1&samples=4096&test=0&batch=32&hardware=pcie4&at=2',
      show: ['timeline'],
      controls: ['play', { key: 'batch', label: 'Rows per step', values: ['32', '128', '512', '2048'] }],
      caption: 'A step on one A100. Every kernel takes at least the time of its launch, however few rows it computes.',
      numbers: ['effectiveBatch', 'kernels', 'computeTime', 'stepTime', 'rowsPerSecond'],
      starts: 'rest',
    },
  },
  drawings: {
    apart: {
      kind: 'recording',
      about: 'ddp2',
      caption: 'A recording of torch.profiler: two ranks on two CPU cores, connected by gloo.',
    },
    three: {
      kind: 'recording',
      about: 'ddp4-slow2,small2,exposed2',
      caption: 'Three recordings of torch.profiler, each with a different problem.',
    },
    gpu: {
      kind: 'launched-steps',
      about: 'cuda-ahead,cuda-small',
      caption:
        'Two recordings of one NVIDIA H200. Grey kernels were launched before the recording began; the profiler recorded no kernel to the left of them.',
    },
  },
  predictions: {
    longest: {
      question:
        'Rank 3 takes three times as long for its work as the others. Which ranks spend the most time in all-reduces?',
      answer: { figure: 'jobs', of: 'exposedTime:3', with: { slow: lateRank(3) } },
      guess: {
        kind: 'choice',
        choices: [
          {
            text: 'Rank 3, since it is slow in everything',
            right: (us, facts) => us > (measure(facts, 'exposedTime:0') ?? 0),
          },
          {
            text: 'The other three, since they wait for rank 3 inside them',
            right: (us, facts) => us < (measure(facts, 'exposedTime:0') ?? 0),
          },
          {
            text: 'All four ranks spend the same time, since an all-reduce ends on all ranks at once',
            right: (us, facts) => us === measure(facts, 'exposedTime:0'),
          },
        ],
      },
      why: 'Besides computing, rank 3 spends {exposedTime:3} in all-reduces, and rank 0 {exposedTime:0}. On each rank an all-reduce begins when that rank joins, and it ends when all ranks have joined and the data has moved. So the last rank to join has the shortest all-reduce.',
    },
    rows: {
      question: 'Give the A100 512 rows per step instead of 32, sixteen times as many. The step is',
      answer: { figure: 'kernels', of: 'stepTime', with: { batch: '512' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'sixteen times as long', right: (us) => us > 8 * STEP_US },
          { text: 'about twice as long', right: (us) => us > 1.5 * STEP_US && us <= 8 * STEP_US },
          { text: 'as long as before', right: (us) => us <= 1.5 * STEP_US },
        ],
      },
      why: 'It takes {stepTime} for its {kernels} kernels. Nearly all of this time is spent on launches, and the number of kernels does not depend on the number of rows.',
    },
  },
  tasks: {
    open: {
      figure: 'exposed',
      text: 'Make the step like that of the third recording: nearly all of its communication is exposed.',
      hint: 'Communication is hidden only while backward still computes. When is the first message sent?',
      done: (facts) => (measure(facts, 'hidden') ?? 1) < 0.05,
      solution: [{ set: { overlap: '0' } }],
    },
    find: {
      figure: 'jobs',
      text: 'Rank 2 is slow in one of the three jobs. Choose that job.',
      hint: 'Do not look for the longest lane. Look for the rank that never waits.',
      done: (facts) => slowRank(facts) === 2,
      solution: [{ set: { slow: lateRank(2) } }],
    },
    fill: {
      figure: 'kernels',
      text: 'Process at least twenty times as many rows per second as at the start.',
      hint: 'The number of kernels stays the same. Let each kernel compute more.',
      done: (facts) => (measure(facts, 'rowsPerSecond') ?? 0) >= 20 * ROWS_PER_SECOND,
      solution: [{ set: { batch: '2048' } }],
    },
  },
});
