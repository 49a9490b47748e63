/** Where buffers lie: nothing overlaps that may live together, devices stand at one stride, and too large a region is cut by device. */
import { describe, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import type { Mode } from '../../protocol/config';
import { type Location, MemoryLayout } from './memory-layout';
import { testRun } from './testing/programs';

const LIMITS = { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 27 };
const MODES: readonly [Mode, number][] = [
  ['single', 1],
  ['dataParallel', 3],
  ['ddp', 4],
  ['modelParallel', 3],
];

describe.each(MODES)('%s on %i devices', (mode, worldSize) => {
  const run = testRun({ mode, worldSize, batchSize: 10 });

  it.each([LIMITS, { maxBufferSize: 2048, maxStorageBufferBindingSize: 2048 }])(
    'keeps persistent buffers apart and inside (%o)',
    (limits) => {
      const layout = new MemoryLayout(run.programs, run.devices, limits);
      const taken: Location[] = [];
      for (const lane of at(run.programs, 0).lanes) {
        for (const spec of lane.buffers) {
          const location = layout.locate('full', lane.device, spec.name);
          expect(location.offset % 256).toBe(0);
          expect(location.area).toBeGreaterThanOrEqual(location.bytes);
          expect(location.offset + location.area).toBeLessThanOrEqual(at(layout.buffers, location.buffer).bytes);
          if (!spec.persistent) continue;
          const clash = taken.some(
            (other) =>
              other.buffer === location.buffer &&
              other.offset < location.offset + location.area &&
              location.offset < other.offset + other.area,
          );
          expect(clash).toBe(false);
          taken.push(location);
        }
      }
      expect(Math.max(...layout.buffers.map((buffer) => buffer.bytes))).toBeLessThanOrEqual(limits.maxBufferSize);
    },
  );

  it('places a buffer alike in every program that shares it', () => {
    const layout = new MemoryLayout(run.programs, run.devices, LIMITS);
    for (const program of run.programs) {
      for (const lane of program.lanes) {
        for (const spec of lane.buffers) {
          if (spec.persistent)
            expect(layout.locate(program.variant, lane.device, spec.name)).toEqual(
              layout.locate('full', lane.device, spec.name),
            );
        }
      }
    }
  });
});

it('stands the devices of DDP at one stride in every buffer', () => {
  const run = testRun({ mode: 'ddp', worldSize: 4, batchSize: 12 });
  const layout = new MemoryLayout(run.programs, run.devices, LIMITS);
  for (const { name } of at(at(run.programs, 0).lanes, 0).buffers) {
    const places = run.devices.map((device) => layout.locate('full', device, name));
    expect(new Set(places.map((place) => place.buffer)).size).toBe(1);
    const strides = places.slice(1).map((place, i) => place.offset - at(places, i).offset);
    expect(new Set(strides).size).toBe(1);
    expect(must(strides[0], 'stride')).toBeGreaterThan(0);
  }
});

it('refuses a buffer that no adapter of this size can hold', () => {
  const run = testRun({ mode: 'single', batchSize: 10 });
  expect(
    () => new MemoryLayout(run.programs, run.devices, { maxBufferSize: 256, maxStorageBufferBindingSize: 256 }),
  ).toThrow(/out of memory/);
});
