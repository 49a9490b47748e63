/** What the rooms of a real step show: layer, bucket and chunks that the step works on, and their values. */
import { describe, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import type { StepTrace } from '../../protocol/trace';
import { openTestSession } from '../../session/testing/open-session';
import { contentsAt } from '../../trace/contents';
import { firstOf, momentAt } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import { cellValue } from '../draw/heat-map';
import { SMALL_GPT } from '../testing/small-runs';
import { countRanks } from './exchanges';
import { createTraceFacts } from './facts-at';
import { forTab } from './facts-for-tab';
import { planStage, stageScene } from './scene';

import { SIZE, tracedStep, walk } from './testing/walked-step';

describe('what a room shows', () => {
  it('shows the computing layer, the bucket being filled, its chunks, the bucket being emptied, then the update', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 2, ...SMALL_GPT });
    const facts = createTraceFacts(info, trace);
    const shown = trace.moments.map((moment) => ({
      moment,
      view: facts.at({ event: firstOf(moment), fraction: 0.5 }, 'modelled').view(0),
    }));
    for (const { moment, view } of shown) {
      const [first] = moment.events;
      const e = at(trace.events, first ?? 0);
      if (moment.kind === 'compute' && (e.phase === 'forward' || e.phase === 'loss'))
        expect(view.shows).toBe('product');
      if (moment.kind === 'update') expect(view.shows).toBe('update');
      if (view.shows !== 'product' || moment.kind !== 'compute') continue;
      const looked = at(trace.events, view.event);
      expect([looked.phase, looked.module]).toEqual([e.phase, e.module]);
    }
    const order = shown.map(({ view }) => view.shows);
    expect(order.filter((s, i) => s !== order[i - 1])).toEqual(['product', 'bucket', 'chunks', 'bucket', 'update']);
  });

  it('shows the chunks of a collective only for copies into or out of its buffers', async () => {
    const { info, trace } = await tracedStep({ mode: 'tensor', worldSize: 2, ...SMALL_GPT });
    const facts = createTraceFacts(info, trace);
    const buffers = new Set(trace.events.flatMap(({ slice }) => slice?.buffer ?? []));
    const copies = trace.moments.map(firstOf).filter((event) => at(trace.events, event).name === 'ops/copy');
    const shown = copies.map((event) => {
      const { reads, writes } = at(trace.events, event);
      const isMoved = [...reads, ...writes].some((buffer) => buffers.has(buffer));
      return { isMoved, shows: facts.at({ event, fraction: 0.5 }, 'modelled').view(0).shows };
    });
    expect(new Set(shown.map(({ isMoved }) => isMoved))).toEqual(new Set([true, false]));
    for (const { isMoved, shows } of shown) if (!isMoved) expect(shows).not.toBe('chunks');
  });

  it('does not change while one collective runs, in every room', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 4 });
    const layouts = new Map<string, string>();
    for (const { event, scene } of walk(info, trace)) {
      const { collective } = at(trace.events, event);
      if (!collective) continue;
      for (const { device, chunks } of scene.rooms) {
        const key = `${device} ${collective.seq}`;
        const now = JSON.stringify(chunks?.chunks.map((c) => c.at));
        expect(layouts.get(key) ?? now).toBe(now);
        layouts.set(key, now);
      }
    }
    expect(layouts.size).toBeGreaterThan(3);
  });
});

describe('chunk tiles of a ring', () => {
  it('hold the sum of one more rank after each receive, and of all ranks at the end', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 4 });
    const seen = new Set<number>();
    for (const { scene } of walk(info, trace))
      for (const room of scene.rooms) for (const chunk of room.chunks?.chunks ?? []) seen.add(countRanks(chunk.ranks));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4]);
    const { contributors, exchanges } = createTraceFacts(info, trace).step;
    const exchange = must(exchanges.ofBucket(0), 'exchange');
    exchange.rows.forEach((rows, device) => {
      expect(rows.map((slice) => contributors.in(trace.events.length - 1, device, slice))).toEqual([
        15n,
        15n,
        15n,
        15n,
      ]);
    });
  });

  it('print the received value above the sum', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 4 });
    let sums = 0;
    for (const { event, fraction, scene } of walk(info, trace)) {
      if (fraction < 1) continue;
      for (const room of scene.rooms) {
        for (const { arrival, map, index } of room.chunks?.chunks ?? []) {
          if (!arrival?.there || !arrival.adds || !map.cells || !arrival.values) continue;
          const slice = { buffer: 'bucket0', offset: map.cells.offset, length: 1 };
          const before = contentsAt(trace, firstOf(must(momentAt(trace.moments, event), 'moment')) - 1);
          const own = must(before.get(room.device)?.get(slice.buffer), 'bucket').values[slice.offset] ?? 0;
          expect(cellValue(map.cells, 0, 0), `chunk ${index}`).toBeCloseTo(own + (arrival.values[0] ?? 0), 6);
          sums++;
        }
      }
    }
    expect(sums).toBeGreaterThan(0);
  });

  it('are those of another bucket if its tab is chosen, until the next bucket is sent', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 4, ddp: { bucketCapMb: 0.0003 } });
    const facts = createTraceFacts(info, trace);
    const shown = new Set<string>();
    for (const moment of trace.moments) {
      const now = facts.at({ event: firstOf(moment), fraction: 0.5 }, 'modelled');
      const [own, other] = [now.view(0), forTab(now, { bucket: 0, instead: 1 }).view(0)];
      if (own.shows !== 'chunks' || other.shows !== 'chunks') continue;
      shown.add(`${own.exchange.bucket?.index} as ${other.exchange.bucket?.index}`);
    }
    expect([...shown]).toContain('1 as 0');
    expect([...shown]).not.toContain('1 as 1');
  });

  it('show a chunk on its way as the one that the packet carries', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 4 });
    let outlined = 0;
    for (const { scene } of walk(info, trace)) {
      for (const packet of scene.packets) {
        const chunk = at(trace.events, Number(packet.id.split(' ')[1])).collective?.chunk;
        const chunks = scene.rooms[packet.from]?.chunks?.chunks;
        expect(chunks?.find((c) => c.index === chunk)?.sends).toBe(true);
        outlined++;
      }
    }
    expect(outlined).toBeGreaterThan(0);
  });
});

describe('idle devices', () => {
  it('of naive model parallelism are grey while idle: never two compute at once', async () => {
    const { info, trace } = await tracedStep({ mode: 'modelParallel', worldSize: 3 });
    let idle = 0;
    for (const { scene, event } of walk(info, trace)) {
      const computing = scene.rooms.filter((r) => r.activity === 'computing' && r.phase !== 'step');
      if (at(trace.events, event).phase !== 'step') expect(computing.length).toBeLessThanOrEqual(1);
      idle += scene.rooms.filter((r) => r.activity === 'idle').length;
    }
    expect(idle).toBeGreaterThan(trace.events.length);
  });
});

describe('corrupted on purpose', () => {
  it('one transfer shows in the tile that received it', async () => {
    const config: ConfigInput = { mode: 'ddp', worldSize: 2, device: 'cpu', compareSingle: false };
    const session = await openTestSession(config);
    const clean = byMoments(await session.api.traceStep());
    const target = must(
      clean.events.find((e) => e.kind === 'recv'),
      'receive',
    );
    await session.api.reset();
    await session.api.corrupt(target.id, 5);
    const broken = byMoments(await session.api.traceStep());
    const valueIn = (trace: StepTrace): number | undefined => {
      const facts = createTraceFacts(session.info, trace);
      const plan = planStage(session.info, trace, facts.packets, SIZE);
      const event = trace.events.findIndex((e) => e.id === target.id);
      const scene = stageScene(plan, facts.at({ event, fraction: 1 }, 'modelled'));
      const own = scene.rooms[target.device]?.chunks?.chunks.find((c) => c.map.cells?.offset === target.slice?.offset);
      return own?.map.cells && cellValue(own.map.cells, 0, 0);
    };
    expect(must(valueIn(broken), 'tile') - must(valueIn(clean), 'tile')).toBeCloseTo(5, 4);
    await session.close();
  });
});
