/**
 * A sharded run stops and goes on: on the same mesh to the bit, dropout included; with another stage of ZeRO, on other
 * worlds and in other modes with the weights of the run that did not stop, since a checkpoint has whole tensors whoever
 * kept the shards.
 */
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { SAME_BITS, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';
import { mergedState } from '../weights/merged-weights';

const AT = 3;
const MORE = 4;

const run = (dropout: number): ConfigInput => ({
  device: 'cpu',
  mode: 'sharded',
  mesh: { dpShard: 2 },
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 5 },
      { type: 'Tanh' },
      { type: 'Dropout', p: dropout },
      { type: 'Linear', in: 5, out: 6 },
      { type: 'BatchNorm1d', features: 6 },
      { type: 'Tanh' },
      { type: 'Linear', in: 6, out: 1 },
    ],
  },
  data: { type: 'xor', samples: 48, testFraction: 0 },
  batchSize: 12,
  optimizer: { type: 'Adam', lr: 0.05 },
  compareSingle: false,
  seed: 5,
});

const goOn = async (config: ConfigInput, other: ConfigInput = {}) => {
  const files = await savedAfter(config, AT);
  return withTraining({ ...config, ...other, resume: 'run' }, files, async (t) => {
    const losses = await t.run(MORE);
    return { losses, after: await stateOf(t), text: t.blueprint.notices.find(({ id }) => id === 'resumed')?.text };
  });
};

const straightOn = (config: ConfigInput) =>
  withTraining(config, {}, async (t) => {
    await t.run(AT);
    return { losses: await t.run(MORE), after: await stateOf(t) };
  });

const SAME: readonly ConfigInput[] = [
  { mesh: { dpShard: 2 } },
  { mesh: { dpShard: 3, dpReplicate: 2 }, sharded: { reshardAfterForward: true } },
  { mesh: { dpShard: 4 }, sharded: { stage: 2 } },
  { mesh: { dpShard: 2 }, sharded: { stage: 1 } },
];

test.each(SAME)('on the same mesh to the bit: %j', async (more) => {
  const config = { ...run(0.25), ...more };
  const { text, ...resumed } = await goOn(config);
  expect(text).toMatch(SAME_BITS);
  expect(resumed).toEqual(await straightOn(config));
});

describe('elsewhere, with the losses of the run that did not stop', () => {
  const elsewhere: readonly ConfigInput[] = [
    { sharded: { stage: 1 } },
    { sharded: { stage: 2 } },
    { mode: 'ddp', worldSize: 2, mesh: {} },
    { placement: 'workers' },
  ];
  test.each(elsewhere)('%j', async (other) => {
    const config = run(0);
    const straight = await straightOn(config);
    const { losses } = await goOn(config, other);
    expect(losses.map(({ loss }) => loss)).toEqual(straight.losses.map(({ loss }) => loss));
  });

  test.each<ConfigInput>([{ mesh: { dpShard: 4 } }, { mode: 'single', mesh: {} }, { mode: 'tensor', mesh: { tp: 2 } }])(
    '%j, whose batches are others: the weights before the next step',
    async (other) => {
      const config = run(0);
      const files = await savedAfter(config, AT);
      const weightsOf = (more: ConfigInput) =>
        withTraining({ ...config, ...more, resume: 'run' }, files, async (t) =>
          mergedState(t.blueprint, await t.weights()),
        );
      expect(await weightsOf(other)).toEqual(await weightsOf({}));
    },
  );
});
