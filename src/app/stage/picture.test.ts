/** The picture agrees with the computation: the scene of a real step is compared with the step's events. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { at, must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session-info';
import type { StepTrace } from '../../protocol/trace';
import { openTestSession } from '../../session/testing/open-session';
import { contentsAt } from '../../trace/contents';
import { trafficOf } from '../../trace/links';
import { firstOf, lastOf, type MomentTrace, momentAt, progressIn } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import { bottom, grow, overlaps, right } from '../draw/geometry';
import { cellValue, type HeatCells } from '../draw/heat-map';
import { SMALL_CNN, SMALL_GPT } from '../testing/small-runs';
import { countRanks } from './exchanges';
import { createTraceFacts } from './facts-at';
import { forTab } from './facts-for-tab';
import { rectsOf } from './room-content';
import { packetsToDraw, planStage, stageScene } from './scene';
import type { StageScene } from './scene-types';

const SIZE = { width: 1100, height: 600 };
const RUNS: Readonly<Record<string, ConfigInput>> = {
  single: { mode: 'single' },
  DataParallel: { mode: 'dataParallel', worldSize: 3 },
  'DDP, ring': { mode: 'ddp', worldSize: 4, ddp: { bucketCapMb: 0.0003 } },
  'DDP, naive': { mode: 'ddp', worldSize: 3, ddp: { algorithm: 'naive' } },
  'DDP of eight, chunks shorter than the world': {
    mode: 'ddp',
    worldSize: 8,
    batchSize: 64,
    model: { layers: [{ type: 'Linear', in: 2, out: 1 }] },
  },
  'Model parallel': { mode: 'modelParallel', worldSize: 3 },
  'a convolutional net on two ranks': { mode: 'ddp', worldSize: 2, ...SMALL_CNN },
  'a GPT on two ranks': { mode: 'ddp', worldSize: 2, ...SMALL_GPT },
};

/** The buffer index of the value in a drawn cell. */
function placeOf({ offset, stride, columns, tile, step = 1 }: HeatCells, row: number, column: number): number {
  if (!tile) return offset + row * stride + column * step;
  const which = Math.floor(row / tile.rows) * (columns / tile.columns) + Math.floor(column / tile.columns);
  return (which * tile.rows + (row % tile.rows)) * tile.columns + (column % tile.columns);
}

async function tracedStep(config: ConfigInput): Promise<{ readonly info: SessionInfo; readonly trace: MomentTrace }> {
  const session = await openTestSession({ ...config, device: 'cpu', compareSingle: false });
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  return { info: session.info, trace };
}

/**
 * The scenes while a cursor walks the step in halves of an event: at each event, or at every n-th event and the last.
 */
function* walk(
  info: SessionInfo,
  trace: MomentTrace,
  every = 1,
): Generator<{ readonly event: number; readonly fraction: number; readonly scene: StageScene }> {
  const facts = createTraceFacts(info, trace);
  const plan = planStage(info, trace, facts.packets, SIZE);
  for (let event = 0; event < trace.events.length; event++) {
    if (event % every !== 0 && event !== trace.events.length - 1) continue;
    for (const fraction of [0.5, 1]) {
      yield { event, fraction, scene: stageScene(plan, facts.at({ event, fraction }, 'modelled')) };
    }
  }
}

describe.each(Object.entries(RUNS))('%s', (_, config) => {
  let step: Awaited<ReturnType<typeof tracedStep>>;
  beforeAll(async () => {
    step = await tracedStep(config);
  });

  it('draws a packet for every transfer that ran and for nothing else; their bytes are the bytes sent', () => {
    const { info, trace } = step;
    const drawn = new Set<string>();
    for (const { scene } of walk(info, trace)) for (const { id } of scene.packets) drawn.add(id);
    const sends = trace.events.flatMap((e, i) => (e.kind === 'send' && e.bytes > 0 ? [i] : []));
    expect([...drawn].sort()).toEqual(sends.map((i) => `packet ${i}`).sort());
    expect(packetsToDraw(trace).reduce((sum, p) => sum + p.bytes, 0)).toBe(trafficOf(trace).total);
  });

  it('shows in every cell the number that was in the buffer', () => {
    const { info, trace } = step;
    const shown = { matrices: 0, packets: 0, updates: 0 };
    for (const { event, fraction, scene } of walk(info, trace, 7)) {
      const moment = must(momentAt(trace.moments, event), 'moment');
      const before = contentsAt(trace, fraction === 1 ? event : firstOf(moment) - 1);
      // The second half of the optimiser's moment shows the new weights.
      const updates = fraction < 1 && moment.kind === 'update' && progressIn(moment, { event, fraction }) > 0.5;
      const after = updates ? contentsAt(trace, lastOf(moment)) : before;
      for (const item of scene.items) {
        const buffer = item.id.split(' ')[1] ?? '';
        const content = after.get(item.device)?.get(buffer);
        if (updates && content !== before.get(item.device)?.get(buffer)) shown.updates++;
        const { cells } = item.tip();
        if (!content || !cells || item.id.startsWith('packet')) continue;
        shown.matrices++;
        const wrong: string[] = [];
        for (let r = 0; r < cells.rows; r++) {
          for (let c = 0; c < cells.columns; c++) {
            // The last line of a chunk or of a stretch may have fewer cells.
            if (cells.count !== undefined && r * cells.columns + c >= cells.count) continue;
            const [drawn, held] = [cellValue(cells, r, c), content.values[placeOf(cells, r, c)]];
            if (!Object.is(drawn, held)) wrong.push(`${item.id}, row ${r}, column ${c}: ${drawn}, not ${held}`);
          }
        }
        expect(wrong).toEqual([]);
      }
      for (const packet of scene.packets) {
        const sent = at(trace.events, Number(packet.id.split(' ')[1]));
        const before = contentsAt(trace, Number(packet.id.split(' ')[1]))
          .get(sent.device)
          ?.get(must(sent.slice, 'slice').buffer);
        if (!packet.cells || !before) continue;
        shown.packets++;
        expect(cellValue(packet.cells, 0, 0)).toBe(before.values[must(sent.slice, 'slice').offset]);
      }
    }
    expect(shown.matrices).toBeGreaterThan(0);
    expect(shown.updates).toBeGreaterThan(0);
    if (info.worldSize > 1) expect(shown.packets).toBeGreaterThan(0);
  });

  it('draws nothing in a room over another thing in it, in rooms of any size', () => {
    const { info, trace } = step;
    const facts = createTraceFacts(info, trace);
    for (const size of [SIZE, { width: 860, height: 420 }, { width: 390, height: 560 }]) {
      const plan = planStage(info, trace, facts.packets, size);
      for (const moment of trace.moments)
        stageScene(plan, facts.at({ event: firstOf(moment), fraction: 0.5 }, 'modelled'));
      for (const content of plan.contents.flatMap((of) => [...of.values()])) {
        const rects = rectsOf(content).filter((r) => r.width > 0.2 && r.height > 0.2);
        const pairs = rects.flatMap((a, i) => rects.slice(i + 1).map((b) => [grow(a, -0.1), grow(b, -0.1)] as const));
        expect(pairs.find(([a, b]) => overlaps(a, b))).toBeUndefined();
      }
    }
  });

  it('keeps everything on the canvas', () => {
    const { info, trace } = step;
    for (const { scene } of walk(info, trace, 5)) {
      const off = scene.items.find(
        ({ rect }) => rect.x < 0 || rect.y < 0 || right(rect) > scene.width || bottom(rect) > scene.height,
      );
      expect(off).toBeUndefined();
    }
  });
});

test('sixteen ranks on a phone: no packet covers the name of a rank', async () => {
  const { info, trace } = await tracedStep({
    mode: 'ddp',
    worldSize: 16,
    batchSize: 64,
    ddp: { bucketCapMb: 0.0003 },
  });
  const facts = createTraceFacts(info, trace);
  const plan = planStage(info, trace, facts.packets, { width: 390, height: 560 });
  let packets = 0;
  for (const moment of trace.moments)
    for (const fraction of [0.1, 0.5, 0.9]) {
      const scene = stageScene(plan, facts.at({ event: firstOf(moment), fraction }, 'modelled'));
      const names = scene.rooms.map(({ rect }) => ({ x: rect.x + 6, y: rect.y + 4, width: 30, height: 11 }));
      packets += scene.packets.length;
      for (const { rect } of scene.packets) expect(names.filter((name) => overlaps(name, rect))).toEqual([]);
    }
  expect(packets).toBeGreaterThan(100);
});

describe('what a room shows', () => {
  it('shows the computing layer, the bucket being filled, its chunks, the bucket being emptied, then the update', async () => {
    const { info, trace } = await tracedStep(must(RUNS['a GPT on two ranks'], 'run'));
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
    const { info, trace } = await tracedStep(must(RUNS['DDP, ring'], 'run'));
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
