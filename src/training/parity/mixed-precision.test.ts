/** Mixed precision on the CPU device against PyTorch 2.13. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { PROGRAM_OPS } from '../../parallel/modes';
import { decodeF32 } from '../../tensor/fixtures/decode';
import { halvesOf, roundTo } from '../../tensor/half-bits';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import { AUTOCAST_CASE, POISONED, ROUNDING, SCALER_CASES } from '../testing/mixed-cases';
import { runParity } from '../testing/run-parity';

afterEach(() => {
  vi.restoreAllMocks();
});

test(AUTOCAST_CASE.name, place({ modes: ['single'] }), async () => {
  const { bars } = AUTOCAST_CASE;
  const { measured } = await runParity(AUTOCAST_CASE);
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
