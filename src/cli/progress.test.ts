import { expect, it } from 'vitest';
import { createProgress, formatStep } from './progress';

const record = (step: number, accumulate = 1) => ({
  step: Math.floor(step / accumulate),
  microBatch: step,
  epoch: 0,
  perRank: [0.5, 0.25],
  loss: 0.375,
});

it('writes a plain line per step into a log', () => {
  const written: string[] = [];
  const progress = createProgress({ write: (text) => written.push(text) });
  progress.step(record(0), 12, 1);
  progress.step(record(1), 12, 1);
  expect(written).toEqual([
    '[ 1/12] step 0  epoch 0  loss 0.375000  ranks 0.5000 0.2500\n',
    '[ 2/12] step 1  epoch 0  loss 0.375000  ranks 0.5000 0.2500\n',
  ]);
});

it('rewrites one line on a terminal, not more often than it can be read, and always shows the last step', () => {
  const written: string[] = [];
  let time = 0;
  const progress = createProgress({ isTTY: true, write: (text) => written.push(text) }, () => time);
  for (let step = 0; step < 100; step += 1, time += 5) progress.step(record(step), 100, 1);
  progress.end();
  expect(written.length).toBeLessThan(10);
  expect(written.at(-2)).toContain('[100/100] step 99');
  expect(written.at(-1)).toBe('\n');
});

it('counts optimizer steps, and says which micro-batch of a step it is', () => {
  const written: string[] = [];
  const log = createProgress({ write: (text) => written.push(text) });
  for (const microBatch of [0, 1, 2, 3]) log.step(record(microBatch, 2), 2, 2);
  expect(written.map((line) => line.split('  epoch')[0])).toEqual([
    '[1/2] step 0 (micro-batch 1 of 2)',
    '[1/2] step 0 (micro-batch 2 of 2)',
    '[2/2] step 1 (micro-batch 1 of 2)',
    '[2/2] step 1 (micro-batch 2 of 2)',
  ]);
});

it('names one loss only once', () => {
  expect(formatStep({ step: 4, microBatch: 4, epoch: 1, perRank: [0.5], loss: 0.5 }, 9, 1)).toBe(
    '[5/9] step 4  epoch 1  loss 0.500000',
  );
});
