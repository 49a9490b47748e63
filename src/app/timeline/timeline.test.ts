import { beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../base/invariant';
import type { SessionInfo } from '../../protocol/session-info';
import type { Clock, StepTrace } from '../../protocol/trace';
import { openTestSession } from '../../session/testing/open-session';
import { timeUse } from '../../trace/idle';
import { byMoments } from '../../trace/moments/moments';
import { bottom, overlaps, right } from '../draw/geometry';
import { hitTest } from '../draw/hit-regions';
import { clockLabel } from '../lanes/clock-label';
import { cursorText, eventLabels } from '../lanes/event-label';
import { gapsOf } from '../lanes/gaps';
import { cursorAt, timeScale } from '../lanes/time-axis';
import { follow, pan, WHOLE, zoom } from '../lanes/view-window';
import { lanePartsOf } from './lane-parts';
import { layoutTimeline } from './timeline-layout';
import { timelineScene } from './timeline-scene';

const CLOCKS: readonly Clock[] = ['modelled', 'measured'];
const length = (spans: readonly { readonly startUs: number; readonly endUs: number }[]) =>
  spans.reduce((sum, s) => sum + s.endUs - s.startUs, 0);

describe('layoutTimeline', () => {
  it('keeps lanes apart and inside for 1 to 8 devices at every width', () => {
    for (const width of [390, 720, 1092, 1600]) {
      for (let devices = 1; devices <= 8; devices++) {
        const { rows, height } = layoutTimeline(width, devices, devices > 1);
        const lanes = rows.flatMap((r) => [r.compute, ...(r.comm.height > 0 ? [r.comm] : []), r.name]);
        lanes.forEach((lane, i) => {
          expect(right(lane)).toBeLessThanOrEqual(width);
          expect(bottom(lane)).toBeLessThanOrEqual(height);
          for (const other of lanes.slice(i + 1)) expect(overlaps(lane, other)).toBe(false);
        });
      }
    }
  });
});

describe('the window', () => {
  it('zooms around the pointer', () => {
    for (const at of [0.2, 0.5, 0.8]) {
      const before = { from: 0.3, to: 0.7 };
      const after = zoom(before, 2, at);
      expect(after.to - after.from).toBeCloseTo(0.2, 9);
      expect(after.from + at * (after.to - after.from)).toBeCloseTo(before.from + at * 0.4, 9);
    }
  });

  it('never shows time outside the step', () => {
    expect(zoom(WHOLE, 0.1, 0.5)).toEqual(WHOLE);
    expect(pan({ from: 0.5, to: 0.75 }, 9).to).toBe(1);
    expect(pan({ from: 0.5, to: 0.75 }, -9).from).toBe(0);
    const deep = zoom(WHOLE, 1e9, 0.5);
    expect(deep.to - deep.from).toBeGreaterThan(0);
  });

  it('follows a cursor that leaves it, and only then', () => {
    const view = { from: 0.2, to: 0.4 };
    expect(follow(view, 0.3)).toBe(view);
    const moved = follow(view, 0.6);
    expect(moved.from).toBeLessThan(0.6);
    expect(moved.to - moved.from).toBeCloseTo(0.2, 9);
  });
});

describe('lanes of a step that ran', () => {
  let info: SessionInfo;
  let trace: StepTrace;
  beforeAll(async () => {
    const session = await openTestSession({
      mode: 'ddp',
      worldSize: 3,
      device: 'cpu',
      compareSingle: false,
      ddp: { bucketCapMb: 0.0003 },
    });
    await session.api.traceStep();
    trace = byMoments(await session.api.traceStep());
    ({ info } = session);
    await session.close();
  });

  it.each(CLOCKS)('%s: hidden, exposed and idle are what timeUse counts', (clock) => {
    const { devices } = lanePartsOf(trace, clock, info.worldSize);
    for (const lanes of devices) {
      const use = timeUse(trace, clock, lanes.device);
      expect(length(lanes.gaps)).toBeCloseTo(use.idleUs, 3);
      if (clock !== 'modelled') continue;
      expect(length(lanes.comm.flatMap((r) => r.hidden))).toBeCloseTo(use.overlapUs, 6);
      expect(length(lanes.comm.flatMap((r) => r.exposed))).toBeCloseTo(use.exposedUs, 6);
    }
    expect(devices.map((d) => length(d.comm.flatMap((r) => r.hidden))).some((us) => us > 0)).toBe(clock === 'modelled');
  });

  it('has every event of the step once, and finds it where it is drawn', () => {
    const layout = layoutTimeline(1400, info.worldSize, true);
    const parts = lanePartsOf(trace, 'modelled', info.worldSize);
    const scene = timelineScene({ layout, trace, parts, view: WHOLE, ranks: true });
    const drawn = scene.items.flatMap((item) => (item.event === undefined ? [] : [item]));
    const lasting = trace.events.flatMap((_, i) => ((trace.modelled[i]?.durUs ?? 0) > 0 ? [i] : []));
    const events = new Set(drawn.map((item) => item.event));
    expect(lasting.filter((i) => !events.has(i))).toEqual([]);
    expect(events.size).toBe(drawn.length);
    for (const item of drawn.filter((i) => trace.events[i.event ?? 0]?.queue === 'compute')) {
      const { x, y, width, height } = item.rect;
      expect(hitTest(scene.items, { x: x + width / 2, y: y + height / 2 })?.id).toBe(item.id);
    }
    expect(cursorAt(layout, parts.totalUs, WHOLE, 40)).toBeCloseTo(timeScale(layout, parts.totalUs, WHOLE)(40), 6);
  });

  it('shows only what is in view when zoomed', () => {
    const layout = layoutTimeline(1000, info.worldSize, true);
    const parts = lanePartsOf(trace, 'modelled', info.worldSize);
    const scene = timelineScene({ layout, trace, parts, view: { from: 0.4, to: 0.5 }, ranks: true });
    expect(cursorAt(layout, parts.totalUs, { from: 0.4, to: 0.5 }, 0)).toBeUndefined();
    for (const { rect } of scene.items) {
      expect(rect.x).toBeGreaterThanOrEqual(layout.left);
      expect(right(rect)).toBeLessThanOrEqual(layout.right + 1);
    }
  });

  it('gives a reason for every idle stretch', () => {
    for (const clock of CLOCKS) {
      for (const gap of gapsOf(trace, clock, 1)) expect(gap.why()).toMatch(/^rank 1 /);
    }
  });

  it('names events as PyTorch users do', () => {
    const named = (match: (name: string) => boolean) =>
      must(
        trace.events.find((e) => match(e.name)),
        'event',
      );
    expect(eventLabels(named((n) => n === 'ops/linear'))[0]).toBe('forward of layer 0');
    expect(eventLabels(named((n) => n === 'ddp/pack'))[0]).toBe('filling bucket 0');
    expect(eventLabels(named((n) => n === 'send'))).toContain('bucket 0');
    expect(cursorText(trace, 'modelled', -1)).toContain('before the first');
    expect(cursorText(trace, 'modelled', 0)).toMatch(
      new RegExp(`^event 1 of ${trace.events.length}: loading samples on rank \\d`),
    );
  });

  it('says which clock the time is from', () => {
    expect(clockLabel('modelled', info)).toContain(info.hardwareLabel);
    expect(clockLabel('measured', info)).toBe(`measured on ${info.device.adapter}; virtual devices share it`);
  });
});
