/** Quantised timestamps: ticks and order are kept, distinct stamps untouched. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { at } from '../../base/invariant';
import { spreadTicks } from './spread-ticks';

it('leaves distinct stamps alone', () => {
  expect(spreadTicks([0, 3, 4, 9])).toEqual([
    { startUs: 0, durUs: 3 },
    { startUs: 4, durUs: 5 },
  ]);
});

it('lays the passes of one tick end to end', () => {
  expect(spreadTicks([0, 0, 0, 0, 60, 60, 60, 120])).toEqual([
    { startUs: 0, durUs: 30 },
    { startUs: 30, durUs: 30 },
    { startUs: 60, durUs: 30 },
    { startUs: 90, durUs: 30 },
  ]);
});

it('keeps the order, and every pass within the ticks that it was stamped with', () => {
  const tick = 65.536;
  const lengths = fc.array(
    fc.record({ gap: fc.double({ min: 0, max: 20, noNaN: true }), run: fc.double({ min: 0, max: 90, noNaN: true }) }),
    {
      minLength: 1,
      maxLength: 40,
    },
  );
  void fc.assert(
    fc.property(lengths, (passes) => {
      let now = 0;
      const exact = passes.flatMap(({ gap, run }) => {
        const begin = now + gap;
        now = begin + run;
        return [begin, now];
      });
      const stamps = exact.map((t) => Math.floor(t / tick) * tick);
      let before = Number.NEGATIVE_INFINITY;
      spreadTicks(stamps).forEach(({ startUs, durUs }, i) => {
        expect(startUs).toBeGreaterThanOrEqual(before - 1e-9);
        expect(durUs).toBeGreaterThanOrEqual(0);
        before = startUs + durUs;
        const last = Math.max(...stamps) + tick;
        const limit = (stamp: number) => stamps.find((other) => other > stamp) ?? last * 2;
        expect(startUs).toBeGreaterThanOrEqual(at(stamps, i * 2) - 1e-9);
        expect(startUs).toBeLessThanOrEqual(limit(at(stamps, i * 2)) + 1e-9);
        expect(startUs + durUs).toBeLessThanOrEqual(limit(at(stamps, i * 2 + 1)) + 1e-9);
      });
    }),
  );
});
