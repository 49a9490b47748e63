/** Mixed precision on the CPU device against PyTorch 2.13. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { ConfigInput } from '../../protocol/config';
import { decodeF32 } from '../../tensor/fixtures/decode';
import { halvesOf, roundTo } from '../../tensor/half-bits';
import type { HostArray } from '../../tensor/shape';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { withTraining } from '../testing/checkpoint-runs';
import { AUTOCAST_CASE, MIXED_BASE, POISONED, ROUNDING, SCALER_CASES, WHOLE_MODEL_CASES } from '../testing/mixed-cases';
import { runParity } from '../testing/run-parity';

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([AUTOCAST_CASE, ...WHOLE_MODEL_CASES])('$name', place({ modes: ['single'] }), async (parity) => {
  const { bars } = parity;
  const { measured } = await runParity(parity);
  expect(measured.loss_rel_first10).toBeLessThanOrEqual(bars.loss_rel_first10);
  expect(measured.loss_rel_all).toBeLessThanOrEqual(bars.loss_rel_all);
  expect(measured.first_grad_maxrel).toBeLessThanOrEqual(bars.first_grad_maxrel);
  expect(measured.final_param_maxabs).toBeLessThanOrEqual(bars.final_param_maxabs);
});

/** Makes the first element of the first gradient infinite before it is unscaled, at the steps of the recording. */
function poison(): void {
  const unscale = must(PROGRAM_OPS.get('scaler/unscale'), 'unscale');
  const real = unscale.cpu.bind(unscale);
  let step = 0;
  vi.spyOn(unscale, 'cpu').mockImplementation((args) => {
    if (POISONED.includes(step)) at(args.outputs, 1)[0] = Number.POSITIVE_INFINITY;
    step++;
    real(args);
  });
}

describe.each(SCALER_CASES)('$name', ({ config, losses, scales, skipped, finalParameters }) => {
  test('scales, skips and steps as torch does', place({ modes: ['single'] }), async () => {
    const blueprint = createBlueprint(parseConfig({ ...config, device: 'cpu', compareSingle: false }), {});
    const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
    try {
      poison();
      const { losses: first } = await training.trace();
      const records = [first, ...(await training.run(losses.length - 1))];
      expect(records.map(({ scaler }) => scaler?.scale)).toEqual(scales);
      expect(records.map(({ scaler }) => scaler?.skipped)).toEqual(skipped);
      const far = records.map(({ loss }, i) => Math.abs(loss - at(losses, i)) / (Math.abs(at(losses, i)) + 0.01));
      expect(Math.max(...far)).toBeLessThan(1e-6);
      const [own] = (await training.weights()).devices;
      for (const [name, stored] of finalParameters) {
        const values = must(own?.get(name), name);
        const worst = Math.max(...decodeF32(stored).map((value, i) => Math.abs(value - at(values, i))));
        expect(worst, name).toBeLessThanOrEqual(2e-7);
      }
    } finally {
      await training.dispose();
    }
  });
});

test.each([
  ['bf16', ROUNDING.to_bf16],
  ['f16', ROUNDING.to_f16],
] as const)('%s rounds as torch does', (format, recorded) => {
  const given = decodeF32(ROUNDING.float32);
  const expected = [...decodeF32(recorded)];
  const rounded = Float32Array.from(given);
  roundTo(format, rounded);
  expect([...rounded]).toEqual(expected);
  const { toHalf, toFloat } = halvesOf(format);
  expect([...given].map((value) => toFloat(toHalf(value)))).toEqual(expected);
});

const heldAfter = (config: ConfigInput, steps: number): Promise<ReadonlyMap<string, HostArray>> =>
  withTraining(
    { ...MIXED_BASE, device: 'cpu', mode: 'single', compareSingle: false, ...config },
    {},
    async (training) => {
      await training.run(steps);
      return new Map((await training.checkpoint()).values.map(({ buffer, data }) => [buffer, data]));
    },
  );

test.each<ConfigInput['optimizer'][]>([
  [{ type: 'SGD', lr: 0.05, weightDecay: 0.01 }],
  [{ type: 'SGD', lr: 0.05, momentum: 0.9, nesterov: true, weightDecay: 0.01 }],
  [{ type: 'Adam', lr: 0.01 }],
  [{ type: 'AdamW', lr: 0.01, weightDecay: 0.1 }],
])(
  'bfloat16 alone, %o: weights and states are bfloat16, near those of a float32 master',
  place({ modes: ['single'] }),
  async (optimizer) => {
    const [low, wide] = [
      await heldAfter({ optimizer, precision: 'bf16' }, 3),
      await heldAfter({ optimizer, precision: 'bf16-master' }, 3),
    ];
    for (const [name, values] of wide) {
      if (!/^[0-9]+\.(weight|bias)(\.(momentum_buffer|exp_avg|exp_avg_sq))?$/.test(name)) continue;
      const own = Float32Array.from(must(low.get(name), name));
      const rounded = Float32Array.from(own);
      roundTo('bf16', rounded);
      expect(own, name).toEqual(rounded);
      const largest = Math.max(...values.map(Math.abs));
      const far = Math.max(...own.map((value, i) => Math.abs(value - at(values, i))));
      expect(far, name).toBeLessThanOrEqual(largest / 16);
    }
  },
);

test('bfloat16 alone loses updates that a float32 master keeps', place({ modes: ['single'] }), async () => {
  const config: ConfigInput = { optimizer: { type: 'SGD', lr: 1e-5 } };
  const moved = async (precision: ConfigInput['precision']) => {
    const [before, after] = [
      await heldAfter({ ...config, precision }, 0),
      await heldAfter({ ...config, precision }, 5),
    ];
    return must(after.get('2.weight'), 'weight').some(
      (value, i) => value !== must(before.get('2.weight'), 'weight')[i],
    );
  };
  expect(await moved('bf16')).toBe(false);
  expect(await moved('bf16-master')).toBe(true);
});

test('a master adds gradients of micro-batches up in bfloat16', place({ modes: ['single'] }), async () => {
  const held = await heldAfter({ precision: 'bf16-master', accumulate: 3 }, 2);
  for (const [name, values] of held) {
    if (!name.endsWith('.grad')) continue;
    const own = Float32Array.from(values);
    roundTo('bf16', own);
    expect(values, name).toEqual(own);
  }
});
