/**
 * Cross-entropy on a real WebGPU device with logits whose exponentials overflow, grow along the row, or are not finite:
 * the kernels of software adapters read a row twice, those of hardware once, with a running maximum.
 */
import { beforeAll, expect, test } from 'vitest';
import { at } from '../../../base/invariant';
import { ALL_OPS } from '../../testing/all-ops';
import { randomSource } from '../../testing/case-tools';
import { deviceError } from '../../testing/device-error';
import { TUNINGS } from '../../testing/hardware-tuning';
import { LaunchRunner } from '../../testing/run-launch';
import { lowerFor } from '../../workgroup-launches';

let runner: LaunchRunner;

beforeAll(async () => {
  runner = await LaunchRunner.open();
});

const f32 = (...shape: number[]) => ({ shape, dtype: 'f32' }) as const;

const { NaN: NAN, NEGATIVE_INFINITY: LEAST } = Number;

const ROWS: Readonly<Record<string, readonly number[]>> = {
  growing: [-300, -90, 0, 40, 80, 90, 300, 301],
  falling: [301, 300, 90, 80, 40, 0, -90, -300],
  'without some classes': [LEAST, 3, LEAST, LEAST, 5, LEAST, 1, 2],
  'with a NaN': [1, 2, 3, 4, 5, NAN, 6, 7],
};

/** Rows of a whole batch and of a batch whose sum has several steps; classes with and without whole vectors. */
const SIZES = [
  [5, 8],
  [5, 7],
  [700, 8],
  [700, 7],
] as const;

test.each(TUNINGS.flatMap(([name, tuning]) => Object.keys(ROWS).map((row) => [name, row, tuning] as const)))(
  'kernels of %s, rows %s',
  async (_, row, tuning) => {
    for (const [rows, classes] of SIZES) {
      const random = randomSource(3);
      const odd = at([ROWS[row] ?? []], 0);
      const x = Float32Array.from({ length: rows * classes }, (_, i) =>
        i < classes ? at(odd, i) : i % classes === 0 ? random() : 4 * random() - 2,
      );
      const labels = Int32Array.from({ length: rows }, (_, r) => (r === 0 ? 4 : r % classes));
      const inputs = [
        { type: f32(rows, classes), wrt: true, data: x },
        { type: { shape: [rows], dtype: 'i32' } as const, wrt: false, data: labels },
      ];
      const made = { op: 'loss/cross-entropy', attrs: {}, inputs };
      const { error, value } = await deviceError(runner.tuned(tuning), made);
      expect(error, `${value}, ${rows} x ${classes}`).toBeLessThan(1e-5);
    }
  },
);

test('the kernels of hardware read x once', () => {
  const op = ALL_OPS.get('loss/cross-entropy');
  const inputs = [f32(700, 7), { shape: [700], dtype: 'i32' } as const];
  const outputs = op?.infer(inputs, {}) ?? [];
  const constants = TUNINGS.map(([, tuning]) => {
    const launches = op ? lowerFor(op, { inputs, outputs, attrs: {} }, tuning) : [];
    return launches.find(({ kernel }) => kernel === 'loss/cross-entropy')?.constants?.['ONCE'] ?? 0;
  });
  expect(constants).toEqual([0, 1]);
});
