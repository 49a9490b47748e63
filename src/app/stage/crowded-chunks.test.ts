/**
 * A ring of 64 ranks on a laptop and on a phone: every room shows the progress of its chunks, and equal bytes share one
 * label.
 *
 * @module-tag rest: fits.test.ts paints rings of 16 ranks, and layout.test.ts lays out rooms.
 */
import { expect, test } from 'vitest';
import { must } from '../../base/invariant';
import { mlpLayers } from '../../protocol/presets';
import { openTestSession } from '../../session/testing/open-session';
import { firstOf, lastOf } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import { bottom, overlaps, right } from '../draw/geometry';
import { layoutChunks } from './chunk-layout';
import { createTraceFacts } from './facts-at';
import { planStage, stageScene } from './scene';

test('64 chunks in a small room are bars inside the room that do not overlap', () => {
  const lengths = Array.from({ length: 64 }, () => 3);
  for (const area of [
    { x: 5, y: 20, width: 46, height: 27 },
    { x: 25, y: 3, width: 46, height: 11 },
  ]) {
    const { kind, chunks } = must(layoutChunks({ lengths, ranks: 64 }, area), 'a layout');
    expect([kind, chunks.length]).toEqual(['levels', 64]);
    chunks.forEach(({ frame }, i) => {
      expect(frame.width).toBeGreaterThanOrEqual(1);
      expect(frame.height).toBeGreaterThanOrEqual(3);
      expect(frame.x).toBeGreaterThanOrEqual(area.x - 0.01);
      expect(right(frame)).toBeLessThanOrEqual(right(area) + 0.01);
      expect(frame.y).toBeGreaterThanOrEqual(area.y - 0.01);
      expect(bottom(frame)).toBeLessThanOrEqual(bottom(area) + 0.01);
      for (const other of chunks.slice(i + 1)) expect(overlaps(frame, other.frame)).toBe(false);
    });
  }
});

test('DDP of 64: while ranks communicate no room is empty, and bytes that are equal are written once', async () => {
  const session = await openTestSession({
    mode: 'ddp',
    worldSize: 64,
    device: 'cpu',
    compareSingle: false,
    // 65 elements, so that every rank has a chunk.
    model: { layers: mlpLayers([2, 16, 1], 'Tanh') },
    data: { type: 'xor', samples: 64 },
    batchSize: 64,
  });
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  const rounds = trace.moments.filter((m) => m.round !== undefined && m.phase === 'reduce');
  expect(rounds.length).toBeGreaterThan(4);
  for (const size of [
    { width: 850, height: 440 },
    { width: 390, height: 592 },
  ]) {
    const plan = planStage(session.info, trace, facts.packets, size);
    const partsAt = (event: number) => {
      const { rooms, arrows } = stageScene(plan, facts.at({ event, fraction: 0.5 }, 'modelled'));
      const empty = rooms.flatMap(({ device, activity, chunks, maps }) =>
        (chunks?.chunks.length ?? maps.length) > 0 ? [] : [`${device} ${activity}`],
      );
      expect(empty).toEqual([]);
      const labels = arrows.flatMap(({ label }) => label?.text ?? []);
      expect(new Set(labels).size).toBe(labels.length);
      return rooms.flatMap(({ chunks }) => chunks?.chunks.map(({ part }) => part) ?? []);
    };
    const sum = (parts: readonly number[]) => parts.reduce((a, b) => a + b, 0);
    const at = [rounds[1], rounds[Math.floor(rounds.length / 2)]].map((m) => sum(partsAt(firstOf(must(m, 'a round')))));
    expect(at[1]).toBeGreaterThan(must(at[0], 'a sum'));
  }
});

test('a whole all-reduce among 64 ranks, thousands of packets in one moment, has one arrow for each two ranks', async () => {
  const session = await openTestSession({
    mode: 'ddp',
    worldSize: 64,
    device: 'cpu',
    compareSingle: false,
    model: { layers: mlpLayers([2, 16, 16, 16, 1], 'Tanh') },
    data: { type: 'xor', samples: 64 },
    batchSize: 64,
    ddp: { bucketCapMb: 0.001 },
  });
  // The buckets are rebuilt after the first step.
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  const plan = planStage(session.info, trace, facts.packets, { width: 850, height: 440 });
  const whole = must(
    trace.moments.findLast(({ events }) => events.length > 8_000),
    'a moment of all rounds',
  );
  for (const [event, fraction] of [
    [firstOf(whole), 0],
    [must(whole.events[whole.events.length / 2], 'the middle'), 0.5],
    [lastOf(whole), 1],
  ] as const) {
    const position = facts.at({ event, fraction }, 'modelled');
    expect(position.moving.length).toBeGreaterThan(5_000);
    const { arrows, rooms } = stageScene(plan, position);
    expect(arrows.length).toBe(64);
    expect(rooms.length).toBe(64);
  }
});
