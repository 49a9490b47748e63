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
      caption: 'The second step. Each rank has two lanes: what it computes, and below what it sends.',
      numbers: ['buckets', 'commTime', 'exposedTime', 'hidden', 'stepTime'],
      starts: 'walk',
    },
    order: {
      run: `${NET.replace('world=4', 'world=2')}&bucket=1KiB&hardware=transputer&at=1`,
      show: ['timeline', 'buckets'],
      controls: ['play', 'iteration', CAP],
      caption: 'The first step, and the buckets that DDP rebuilds from the order of its gradients.',
      numbers: ['step', 'buckets', 'bucketBytes:0', 'messages', 'hidden'],
      starts: 'rest',
    },
    small: {
      run: `${NET}&bucket=1KiB&hardware=ethernet10g&at=2`,
      show: ['timeline'],
      controls: ['play', CAP, { key: 'world', label: 'Ranks', values: ['2', '4', '8'] }],
      caption: 'The same net on four fast GPUs with a slow network between them.',
      numbers: ['buckets', 'rounds', 'computeTime', 'commTime', 'exposedTime', 'stepTime'],
      starts: 'rest',
    },
  },
  predictions: {
    seven: {
      question:
        'With a cap of 64 B nearly every parameter has a bucket of its own. How much of the communication is hidden then?',
      answer: { figure: 'overlap', of: 'hidden', with: { bucket: '0.0625KiB' } },
      guess: { kind: 'number', from: 0, to: 1, step: 0.01 },
      why: 'With {buckets} buckets {hidden} is hidden: of {commTime} the device waits for {exposedTime}. The gradients of the first layer come last, when no backward is left to hide them behind.',
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
        'The same cap of 64 B on four A100 with 10 Gbit Ethernet. How does the step compare with one bucket for all?',
      answer: { figure: 'small', of: 'stepTime', with: { bucket: '0.0625KiB' } },
      guess: {
        kind: 'choice',
        choices: [
          { text: 'Shorter: the communication is hidden here, too', right: (us) => us < 0.9 * ONE_BUCKET_US },
          { text: 'About as long', right: (us) => us >= 0.9 * ONE_BUCKET_US && us <= 1.5 * ONE_BUCKET_US },
          { text: 'Several times as long', right: (us) => us > 1.5 * ONE_BUCKET_US },
        ],
      },
      why: 'It takes {stepTime}, of which {computeTime} are work. The {rounds} rounds of {buckets} all-reduces come one after the other, and each waits for a message to cross the network.',
    },
  },
  tasks: {
    hide: {
      figure: 'overlap',
      text: 'Hide at least seventy percent of the communication, with three buckets at most.',
      hint: 'As long as all gradients share a bucket, it is full only when backward is over.',
      done: (facts) => hidden(facts) >= 0.7 && (measure(facts, 'buckets') ?? 0) <= 3,
      solution: [{ set: { bucket: '1KiB' } }],
    },
    rebuilt: {
      figure: 'order',
      text: 'Go on to the first step in which more than one bucket is sent.',
      hint: 'Step on. DDP needs to see one whole backward first; then messages begin while backward is still at work.',
      done: ({ trace }) => new Set(trace?.events.flatMap((e) => e.collective?.bucket ?? [])).size > 1,
      solution: [{ press: 'iteration' }, { press: 'iteration' }, 'wait'],
    },
    shortest: {
      figure: 'small',
      text: 'Find the cap with the shortest step on this network.',
      hint: 'Every bucket pays for its own rounds. How few can there be?',
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
