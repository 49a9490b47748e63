/**
 * A run with autocast and a GradScaler stops and goes on: the scale, the steps until it grows and the steps that were
 * skipped are in its checkpoint, so Adam counts on as if the run had not stopped.
 */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { readSafetensors } from '../../interop/safetensors';
import type { ConfigInput } from '../../protocol/config';
import { savedAfter, stateOf, withTraining } from '../testing/checkpoint-runs';
import { stateFileName } from './file-names';

const [AT, MORE] = [4, 4];

/** float16 overflows in the first steps, and the scale grows again soon after. */
const RUN = {
  device: 'cpu',
  data: { type: 'xor', samples: 48, testFraction: 0 },
  batchSize: 12,
  optimizer: { type: 'Adam', lr: 0.02 },
  precision: 'autocast-fp16',
  gradScaler: { enabled: true, initScale: 2 ** 24, growthInterval: 2 },
  seed: 5,
} satisfies ConfigInput;

const goOn = async (config: ConfigInput, other: ConfigInput = {}) =>
  withTraining({ ...config, ...other, resume: 'run' }, await savedAfter(config, AT), async (t) => ({
    losses: await t.run(MORE),
    after: await stateOf(t),
  }));

const straightOn = (config: ConfigInput) =>
  withTraining(config, {}, async (t) => {
    const before = await t.run(AT);
    return { before, losses: await t.run(MORE), after: await stateOf(t) };
  });

test.each<ConfigInput>([
  { mode: 'single' },
  { mode: 'ddp', worldSize: 2 },
  { mode: 'sharded', worldSize: 2 },
  { mode: 'single', accumulate: 2 },
])('to the bit: %j', async (more) => {
  const config = { ...RUN, ...more };
  const { before, ...expected } = await straightOn(config);
  expect(before.some(({ scaler }) => scaler?.skipped)).toBe(true);
  expect(await goOn(config)).toEqual(expected);
});

test.each<ConfigInput>([{ mode: 'single' }, { mode: 'sharded', worldSize: 2 }])(
  'in another mode with the same scale: %j',
  async (other) => {
    const config: ConfigInput = { ...RUN, mode: 'ddp', worldSize: 2, compareSingle: false };
    const [expected] = (await straightOn(config)).losses;
    const [resumed] = (await goOn(config, other)).losses;
    expect(expected?.scaler?.scale).not.toBe(RUN.gradScaler.initScale);
    expect(resumed?.scaler).toEqual(expected?.scaler);
  },
);

test("torch's count of steps leaves out those that were skipped", async () => {
  const steps = AT + MORE;
  const files = await savedAfter({ ...RUN, mode: 'single' }, steps);
  const { records } = await withTraining({ ...RUN, mode: 'single' }, {}, async (t) => ({
    records: await t.run(steps),
  }));
  const taken = records.filter(({ scaler }) => scaler?.skipped === false).length;
  expect([taken > 0, taken < steps]).toEqual([true, true]);
  const state = readSafetensors('run', must(files[stateFileName('run')], 'state'));
  const counts = state.flatMap(({ name, data }) => (name.endsWith('.step') ? [data[0]] : []));
  expect(new Set(counts)).toEqual(new Set([taken]));
});
