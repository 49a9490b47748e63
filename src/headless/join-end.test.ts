/**
 * A run within join() whose steps end within an epoch: all ranks take the last rank's model there, as in PyTorch. A
 * checkpoint of that end does not promise the bits of a longer run, and an earlier checkpoint does.
 */
import { expect, test } from 'vitest';
import { at } from '../base/invariant';
import type { ConfigInput } from '../protocol/config';
import type { Files } from '../protocol/session';
import { modelFileName, stateFileName } from '../training/checkpoint/file-names';
import { SAME_BITS } from '../training/testing/checkpoint-runs';
import { runConfig } from './run';

/** The first rank has 6 batches in an epoch, the second 3. Their momenta differ from the second epoch on. */
const UNEVEN: ConfigInput = {
  ...{ mode: 'ddp', worldSize: 2, device: 'cpu', compareSingle: false, batchSize: 8, seed: 2 },
  data: { type: 'xor', samples: 36, testFraction: 0 },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  ddp: { join: true, samplesPerRank: [24, 12] },
};

/** The weights of a run, and the checkpoint that it saves after `every` steps. */
async function ran(config: ConfigInput, files: Files, every: number) {
  const saved: Files[] = [];
  const { report, weights } = await runConfig(config, files, {
    checkpoint: {
      every,
      save: async ({ model, state }) => {
        saved.push({ [modelFileName('run')]: model, [stateFileName('run')]: state });
      },
    },
  });
  expect(report.error).toBeUndefined();
  return { saved, weights: weights(), texts: report.notices.map(({ text }) => text).join('\n') };
}

test('steps that end within an epoch', async () => {
  const whole = await ran({ ...UNEVEN, steps: 12 }, {}, 8);
  const ended = await ran({ ...UNEVEN, steps: 8 }, {}, 8);
  const after = { ...UNEVEN, steps: 12, resume: 'run' };

  const early = await ran(after, at(whole.saved, 0), 100);
  expect(early.texts).toMatch(SAME_BITS);
  expect(early.texts).not.toContain('join()');
  expect(early.weights).toEqual(whole.weights);

  const late = await ran(after, at(ended.saved, 0), 100);
  expect(late.texts).not.toMatch(SAME_BITS);
  expect(late.texts).toContain('all ranks took the model of the last rank');
  expect(late.weights).not.toEqual(whole.weights);
});

test('steps that end before any rank has run out: the ranks have one model, and the bits are the same', async () => {
  const whole = await ran({ ...UNEVEN, steps: 12 }, {}, 100);
  const ended = await ran({ ...UNEVEN, steps: 2 }, {}, 100);
  const resumed = await ran({ ...UNEVEN, steps: 12, resume: 'run' }, at(ended.saved, 0), 100);
  expect(resumed.texts).toMatch(SAME_BITS);
  expect(resumed.texts).not.toContain('join()');
  expect(resumed.weights).toEqual(whole.weights);
});

test('steps that end with an epoch: the checkpoint continues with the same bits', async () => {
  const whole = await ran({ ...UNEVEN, steps: 12 }, {}, 100);
  const ended = await ran({ ...UNEVEN, steps: 6 }, {}, 100);
  const resumed = await ran({ ...UNEVEN, steps: 12, resume: 'run' }, at(ended.saved, 0), 100);
  expect(resumed.texts).toMatch(SAME_BITS);
  expect(resumed.weights).toEqual(whole.weights);
});
