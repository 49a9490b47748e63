import { scaleLinear, scaleSqrt } from 'd3-scale';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packetSizes } from '../stage/packet-scene';
import { hexRgb, linearRamp, linearScale, nice, ticks } from './scales';

const interval = fc
  .tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: 1e-6, max: 1e6, noNaN: true }))
  .map(([from, width]) => ({ from, to: from + width }))
  .filter(({ from, to }) => to > from);

test('lines, their ticks and their round ends are those of d3-scale', () => {
  void fc.assert(
    fc.property(
      interval,
      fc.integer({ min: 2, max: 20 }),
      fc.double({ min: -2e6, max: 2e6, noNaN: true }),
      (d, n, x) => {
        const theirs = scaleLinear().domain([d.from, d.to]).range([92, 992]);
        expect(linearScale(d, { from: 92, to: 992 })(x) / theirs(x)).toBeCloseTo(1, 9);
        expect(ticks(d, n)).toEqual(theirs.ticks(n).map((tick) => tick + 0));
      },
    ),
  );
  for (const reach of [1e-6, 0.37, 1, 2.4, 17, 960])
    expect(Object.values(nice({ from: -reach, to: reach }))).toEqual(
      scaleLinear().domain([-reach, reach]).nice().domain(),
    );
  expect(linearScale({ from: 3, to: 3 }, { from: 0, to: 10 })(3)).toBe(5);
});

test('packets are scaled as by scaleSqrt', () => {
  const sized = packetSizes([{ bytes: 4000 }, { bytes: 16 }]);
  const root = scaleSqrt().domain([0, 4000]).range([0, 24]);
  for (const bytes of [100, 700, 2000, 4000]) expect(sized(bytes)).toBe(Math.max(2, Math.round(root(bytes))));
});

test('the ramp of values has the colours of d3-scale', () => {
  const dark = scaleLinear<string>().domain([0, 0.5, 1]).range(['#f39a48', '#2b2a31', '#5aa2ec']).clamp(true);
  const own = linearRamp(['#f39a48', '#2b2a31', '#5aa2ec'].map(hexRgb));
  for (let i = 0; i <= 255; i++) expect(own(i / 255)).toBe(dark(i / 255));
});

test('a colour in three digits, as a built style sheet has it, is that in six', () => {
  expect(hexRgb('#fff')).toEqual([255, 255, 255]);
  expect(hexRgb('#1aF')).toEqual(hexRgb('#11aaff'));
});
