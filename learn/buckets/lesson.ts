/** Buckets: when gradients are sent, what of it is hidden behind backward, and what each message costs. */
import type { Facts } from '../../src/lessons/facts/facts';
import { measure } from '../../src/lessons/facts/quantities';
import { defineLesson } from '../../src/lessons/lesson';

const NET = 'mode=ddp&world=4&layers=2-16-16-16-1&batch=64';

const CAPS = ['0.0625KiB', '1KiB', '2KiB', '4KiB'];
const CAP = { key: 'bucket', label: 'Bucket cap', values: CAPS, words: ['64 B', '1 KiB', '2 KiB', '4 KiB'] };

/** What the step takes over Ethernet with one bucket, microseconds: claims.test.ts holds it. */
const ONE_BUCKET_US = 289;

const hidden = (facts: Facts): number => measure(facts, 'hidden') ?? 0;

export const lesson = defineLesson({
  figures: {
    overlap: {
      run: `${NET}&bucket=4KiB&hardware=transputer&at=2&moment=22`,
      show: ['timeline'],
      controls: [
        'play',
        CAP,
        { key: 'overlap', label: 'All-reduce', values: ['1', '0'], words: ['when ready', 'after backward'] },
      ],
      caption:
        'The second step. Each rank has two lanes: the upper lane shows what it computes, the lower what it sends.',
      numbers: ['buckets', 'commTime', 'exposedTime', 'hidden', 'stepTime'],
      starts: 'walk',
    },
    order: {
      run: `${NET.replace('world=4', 'world=2')}&bucket=1KiB&hardware=transputer&at=1`,
      show: ['timeline', 'buckets'],
      controls: ['play', 'iteration', CAP],
      caption: 'The first step, and the buckets that DDP rebuilds from the order in which gradients arrived.',
      numbers: ['step', 'buckets', 'bucketBytes:0', 'messages', 'hidden'],
      starts: 'rest',
    },
    small: {
      run: `${NET}&bucket=1KiB&hardware=ethernet10g&at=2`,
      show: ['timeline'],
      controls: ['play', CAP, { key: 'world', label: 'Ranks', values: ['2', '4', '8'] }],
      caption: 'The same net on four A100s, connected by a slow network.',
      numbers: ['buckets', 'rounds', 'computeTime', 'commTime', 'exposedTime', 'stepTime'],
      starts: 'rest',
    },
  },
  predictions: {
    seven: {
      question:
        'With a cap of 64 B nearly every parameter has its own bucket. What share of the communication is hidden?',
      answer: { figure: 'overlap', of: 'hidden', with: { bucket: '0.0625KiB' } },
      guess: { kind: 'number', from: 0, to: 1, step: 0.01 },
      why: 'With {buckets} buckets {hidden} is hidden. The messages take {commTime}, and the device waits for {exposedTime} of that. The gradients of the first layer are ready last, when backward is over and cannot hide them.',
      plot: {
        figure: 'overlap',
        of: 'hidden',
        over: 'bucket',
        label: 'bucket cap',
        values: CAPS,
      },
    },
    ethernet: {
      question:
        'Use the same cap of 64 B on four A100s with 10 Gbit Ethernet. Compared with one bucket for all gradients, the step is',
      answer: { figure: 'small', of: 'stepTime', with: { bucket: '0.0625KiB' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'shorter, since the communication is hidden here, too', right: (us) => us < 0.9 * ONE_BUCKET_US },
          { text: 'about as long', right: (us) => us >= 0.9 * ONE_BUCKET_US && us <= 1.5 * ONE_BUCKET_US },
          { text: 'several times as long', right: (us) => us > 1.5 * ONE_BUCKET_US },
        ],
      },
      why: 'It takes {stepTime}; only {computeTime} of it is computation. The {buckets} all-reduces have {rounds} rounds, one after the other, and in each round every rank waits for a message from the network.',
    },
  },
  tasks: {
    hide: {
      figure: 'overlap',
      text: 'Hide at least seventy percent of the communication, with no more than three buckets.',
      hint: 'As long as all gradients share one bucket, it is full only when backward is over.',
      done: (facts) => hidden(facts) >= 0.7 && (measure(facts, 'buckets') ?? 0) <= 3,
      solution: [{ set: { bucket: '1KiB' } }],
    },
    rebuilt: {
      figure: 'order',
      text: 'Go to the first step in which DDP sends more than one bucket.',
      hint: 'Press “Step iteration”. DDP needs one whole backward pass to learn the order. From the second step on, messages start during backward.',
      done: ({ trace }) => new Set(trace?.events.flatMap((e) => e.collective?.bucket ?? [])).size > 1,
      solution: [{ press: 'iteration' }, { press: 'iteration' }, 'wait'],
    },
    shortest: {
      figure: 'small',
      text: 'Find the cap with the shortest step on this network.',
      hint: 'Every bucket needs rounds of its own. How few buckets can there be?',
      done: (facts) => facts.info?.ranks === 4 && (measure(facts, 'stepTime') ?? ONE_BUCKET_US + 1) <= ONE_BUCKET_US,
      solution: [{ set: { bucket: '4KiB' } }],
    },
  },
  plots: {
    caps: {
      figure: 'small',
      of: 'stepTime',
      over: 'bucket',
      label: 'bucket cap',
      values: CAPS,
      beside: [{ label: 'eight ranks', with: { world: '8' } }],
    },
  },
});
