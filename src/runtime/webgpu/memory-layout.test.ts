/**
 * Where buffers lie: nothing overlaps that may live together, devices are at one stride, and too large a region is
 * cut by device.
 */
import { describe, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import { planMemory } from '../../program/memory-planner';
import type { Mode } from '../../protocol/config';
import { programKey } from '../../protocol/step-kind';
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
          const location = layout.locate(run.full, lane.device, spec.name);
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
            expect(layout.locate(programKey(program.kind), lane.device, spec.name)).toEqual(
              layout.locate(run.full, lane.device, spec.name),
            );
        }
      }
    }
  });
});

it.each([
  ['single', 1, 64],
  ['dataParallel', 4, 64],
  ['dataParallel', 8, 500],
  ['ddp', 8, 64],
  ['modelParallel', 2, 300],
] as const)(
  'lays out what the planner planned, byte for byte: %s on %i devices, batch %i',
  (mode, worldSize, batchSize) => {
    const run = testRun({ mode, worldSize, batchSize });
    const planned = planMemory(run.programs);
    for (const limits of [LIMITS, { maxBufferSize: 20_000, maxStorageBufferBindingSize: 20_000 }]) {
      const layout = new MemoryLayout(run.programs, run.devices, limits);
      for (const device of run.devices) expect(layout.bytesOn(device)).toBe(planned.get(device)?.bytes);
      const all = [...planned.values()].reduce((sum, { bytes }) => sum + bytes, 0);
      expect(layout.buffers.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(all);
    }
  },
);

it('places the replicas of DataParallel at one stride although device 0 holds more', () => {
  const run = testRun({ mode: 'dataParallel', worldSize: 4, batchSize: 400 });
  const layout = new MemoryLayout(run.programs, run.devices, LIMITS);
  const [first, second] = [0, 1].map((device) => layout.bytesOn(device));
  expect(first).toBeGreaterThan(must(second, 'bytes'));
  for (const region of layout.buffers.keys()) {
    const starts = run.devices.flatMap((device) =>
      at(run.programs, 0)
        .lanes.filter((lane) => lane.device === device)
        .flatMap((lane) => lane.buffers.map((b) => layout.locate(run.full, device, b.name)))
        .filter((place) => place.buffer === region)
        .map((place) => place.offset)
        .slice(0, 1),
    );
    const sorted = [...starts].sort((a, b) => a - b);
    const strides = sorted.slice(1).map((start, i) => start - at(sorted, i));
    expect(new Set(strides).size).toBeLessThanOrEqual(1);
  }
});

it('places the devices of DDP at one stride in every buffer', () => {
  const run = testRun({ mode: 'ddp', worldSize: 4, batchSize: 12 });
  const layout = new MemoryLayout(run.programs, run.devices, LIMITS);
  for (const { name } of at(at(run.programs, 0).lanes, 0).buffers) {
    const places = run.devices.map((device) => layout.locate(run.full, device, name));
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
  ).toThrow('pool:parameters of cuda:0 needs 1,536 bytes, and this adapter allows 256 in one buffer');
});
