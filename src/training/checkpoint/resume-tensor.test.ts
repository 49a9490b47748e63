/**
 * A tensor group stops and goes on: on the same mesh to the bit, dropout included; on another number of ranks, with
 * replicas, on stages or on one device with the weights of the run that did not stop, since a checkpoint has whole
 * tensors whoever had the parts.
 */
import { describe, expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { SAME_BITS, savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';
import { replicaDivergence } from '../weights/weight-differences';

const AT = 3;
const MORE = 4;
/** float32 sums in another order. */
const BAR = 1e-6;

const run = (dropout: number): ConfigInput => ({
  device: 'cpu',
  mode: 'tensor',
  mesh: { tp: 2 },
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 6 },
      { type: 'Tanh' },
      { type: 'Dropout', p: dropout },
      { type: 'Linear', in: 6, out: 6 },
      { type: 'Tanh' },
      { type: 'Dropout', p: dropout },
      { type: 'Linear', in: 6, out: 1 },
    ],
  },
  data: { type: 'xor', samples: 48, testFraction: 0 },
  batchSize: 12,
  optimizer: { type: 'SGD', lr: 0.05, momentum: 0.9 },
  compareSingle: false,
  seed: 5,
});

test.each([{ tp: 2 }, { tp: 3, dpReplicate: 2 }])('on the same mesh to the bit: %j', async (mesh) => {
  const config = { ...run(0.25), mesh };
  const straight = await withTraining(config, {}, async (t) => {
    await t.run(AT);
    return { losses: await t.run(MORE), after: await stateOf(t) };
  });
  const resumed = await withTraining({ ...config, resume: 'run' }, await savedAfter(config, AT), async (t) => {
    expect(t.blueprint.notices.find(({ id }) => id === 'resumed')?.text).toMatch(SAME_BITS);
    return { losses: await t.run(MORE), after: await stateOf(t) };
  });
  expect(resumed).toEqual(straight);
});

/** With dropout in a part and in a whole activation, which all ranks of a group must drop alike. */
test.each([
  [{ mesh: { tp: 2 } }, { mesh: { tp: 3 } }],
  [{ mesh: { tp: 2, dpReplicate: 2 } }, { mesh: { tp: 2 } }],
  [{ mode: 'pipeline', mesh: { pp: 2 }, pipeline: { microBatches: 2 } }, { mesh: { tp: 2 } }],
  [{ mesh: { tp: 2 } }, { mode: 'sharded', mesh: { tp: 2, dpShard: 2 } }],
] as const satisfies [ConfigInput, ConfigInput][])(
  'with dropout, saved as %j, resumed as %j: equal ranks',
  async (first, then) => {
    const config = run(0.25);
    const files = await savedAfter({ ...config, ...first }, AT);
    await withTraining({ ...config, ...then, resume: 'run' }, files, async (t) => {
      await t.run(MORE);
      expect(replicaDivergence(t.blueprint, await t.weights())).toBe(0);
    });
  },
);

describe('elsewhere, with the losses of the run that did not stop', () => {
  const elsewhere: readonly ConfigInput[] = [
    { mesh: { tp: 3 } },
    { mesh: { tp: 1 } },
    { mode: 'single', mesh: {} },
    { mode: 'pipeline', mesh: { pp: 2, tp: 2 }, pipeline: { microBatches: 2 } },
  ];
  test.each(elsewhere)('%j', async (other) => {
    const config = run(0);
    const straight = await withTraining(config, {}, async (t) => (await t.run(AT + MORE)).slice(AT));
    const files = await savedAfter(config, AT);
    const resumed = await withTraining({ ...config, ...other, resume: 'run' }, files, (t) => t.run(MORE));
    expect(resumed).toHaveLength(MORE);
    for (const [i, { loss }] of resumed.entries())
      expect(Math.abs(loss - (straight[i]?.loss ?? Number.NaN)), `step ${AT + i}`).toBeLessThanOrEqual(BAR);
  });
});
