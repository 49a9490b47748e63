/**
 * The picture is the computation: what the scene shows of a step that really ran, held against the events of that step.
 */
import { describe, expect, it } from 'vitest';
import { at, must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session';
import type { StepTrace } from '../../protocol/trace';
import { openTestSession } from '../../session/testing/open-session';
import { contentsAt } from '../../trace/contents';
import { inTimeOrder } from '../../trace/in-time-order';
import { trafficOf } from '../../trace/links';
import { bottom, right } from '../draw/geometry';
import { cellValue, type HeatCells } from '../draw/heat-map';
import { cnnOf, gptOf } from '../model/families';
import { createTraceFacts, wayMade } from './facts-at';
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
  'a convolutional net on two ranks': {
    mode: 'ddp',
    worldSize: 2,
    batchSize: 8,
    model: { layers: cnnOf([4, 4], 6, { shape: [1, 8, 8] }) },
    data: { type: 'shapes', size: 8, samples: 24 },
    loss: { type: 'CrossEntropyLoss' },
  },
  'a GPT on two ranks': {
    mode: 'ddp',
    worldSize: 2,
    batchSize: 4,
    model: { layers: gptOf({ layers: 2, heads: 2, width: 8 }, 4, 4) },
    data: { type: 'text', text: 'abcdabcdaabbccddabcdabcd', context: 4 },
    loss: { type: 'CrossEntropyLoss' },
  },
};

/** Where the value of a drawn cell stands in its buffer. */
function placeOf({ offset, stride, columns, tile }: HeatCells, row: number, column: number): number {
  if (!tile) return offset + row * stride + column;
  const which = Math.floor(row / tile.rows) * (columns / tile.columns) + Math.floor(column / tile.columns);
  return (which * tile.rows + (row % tile.rows)) * tile.columns + (column % tile.columns);
}

async function tracedStep(config: ConfigInput): Promise<{ readonly info: SessionInfo; readonly trace: StepTrace }> {
  const session = await openTestSession({ ...config, device: 'cpu', compareSingle: false });
  await session.api.traceStep();
  const trace = inTimeOrder(await session.api.traceStep());
  await session.close();
  return { info: session.info, trace };
}

/** Scenes while a cursor walks the step in halves of an event. */
function* walk(
  info: SessionInfo,
  trace: StepTrace,
): Generator<{ readonly event: number; readonly fraction: number; readonly scene: StageScene }> {
  const facts = createTraceFacts(info, trace);
  const plan = planStage(info, trace, facts.packets, SIZE);
  for (let event = 0; event < trace.events.length; event++) {
    for (const fraction of [0.5, 1]) {
      yield { event, fraction, scene: stageScene(plan, facts.at({ event, fraction }, 'modelled')) };
    }
  }
}

describe.each(Object.entries(RUNS))('%s', (_, config) => {
  it('draws a packet for every transfer that ran and for nothing else; their bytes are the bytes sent', async () => {
    const { info, trace } = await tracedStep(config);
    const drawn = new Set<string>();
    for (const { scene } of walk(info, trace)) for (const { id } of scene.packets) drawn.add(id);
    const sends = trace.events.flatMap((e, i) => (e.kind === 'send' && e.bytes > 0 ? [i] : []));
    expect([...drawn].sort()).toEqual(sends.map((i) => `packet ${i}`).sort());
    expect(packetsToDraw(trace).reduce((sum, p) => sum + p.bytes, 0)).toBe(trafficOf(trace).total);
  });

  it('shows in every cell the number that stood in the buffer', async () => {
    const { info, trace } = await tracedStep(config);
    const shown = { matrices: 0, packets: 0 };
    for (const { event, fraction, scene } of walk(info, trace)) {
      if (event % 7 !== 0 && event !== trace.events.length - 1) continue;
      const contents = contentsAt(trace, fraction === 1 ? event : event - 1);
      for (const item of scene.items) {
        const buffer = item.id.split(' ')[1] ?? '';
        const content = contents.get(item.device)?.get(buffer);
        const { cells } = item.tip();
        if (!content || !cells || item.id.startsWith('packet')) continue;
        shown.matrices++;
        for (let r = 0; r < cells.rows; r++) {
          for (let c = 0; c < cells.columns; c++) {
            expect(cellValue(cells, r, c)).toBe(content.values[placeOf(cells, r, c)]);
          }
        }
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
    if (info.worldSize > 1) expect(shown.packets).toBeGreaterThan(0);
  });

  it('keeps everything on the canvas', async () => {
    const { info, trace } = await tracedStep(config);
    for (const { event, scene } of walk(info, trace)) {
      if (event % 5 !== 0) continue;
      const off = scene.items.find(
        ({ rect }) => rect.x < 0 || rect.y < 0 || right(rect) > scene.width || bottom(rect) > scene.height,
      );
      expect(off).toBeUndefined();
    }
  });
});

describe('pages of a room', () => {
  it('turn to the layer that the device works on, and hold every layer on some page', async () => {
    const { info, trace } = await tracedStep(must(RUNS['a GPT on two ranks'], 'run'));
    const facts = createTraceFacts(info, trace);
    const plan = planStage(info, trace, facts.packets, { width: 390, height: 420 });
    const { pages } = at(plan.rooms, 0);
    expect(pages).toBeGreaterThan(1);
    const seen = new Set<string>();
    const held = at(plan.devices, 0).layers.map(({ module }) => module);
    trace.events.forEach((event, index) => {
      const scene = stageScene(plan, facts.at({ event: index, fraction: 0.5 }, 'modelled'));
      const room = at(scene.rooms, event.device);
      const shown = room.layers.map(({ labels }) => must(labels.at(-1), 'label'));
      const now = facts.at({ event: index, fraction: 0.5 }, 'modelled').now(event.device).module;
      if (event.device === 0) for (const label of shown) seen.add(label);
      if (held.includes(now)) expect(shown.some((label) => now === label || now.endsWith(`.${label}`))).toBe(true);
    });
    expect(seen.size).toBe(new Set(held.map((module) => module.replace(/^blocks\.\d+\./, ''))).size);
  });
});

describe('a transfer', () => {
  it('is under way from the begin of its send to the end of its receive', () => {
    const packet = { send: 3, recv: 5 };
    expect(wayMade(packet, { event: 2, fraction: 1 })).toBeUndefined();
    expect(wayMade(packet, { event: 3, fraction: 0.3 })).toBeCloseTo(0.1, 9);
    expect(wayMade(packet, { event: 4, fraction: 0.5 })).toBeCloseTo(0.5, 9);
    expect(wayMade(packet, { event: 5, fraction: 1 })).toBeUndefined();
  });
});

describe('chunk tiles of a ring', () => {
  it('hold the sum of one rank more after each receive, and of all at the end', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 4 });
    let last: StageScene | undefined;
    const seen = new Set<number>();
    for (const { scene } of walk(info, trace)) {
      for (const room of scene.rooms) for (const tile of room.bucket?.tiles ?? []) seen.add(tile.summed);
      last = scene;
    }
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4]);
    for (const room of must(last, 'scene').rooms) {
      expect(must(room.bucket, 'bucket').tiles.map((t) => t.summed)).toEqual([4, 4, 4, 4]);
    }
  });

  it('show a chunk on its way as the one that the packet carries', async () => {
    const { info, trace } = await tracedStep({ mode: 'ddp', worldSize: 4 });
    let outlined = 0;
    for (const { scene } of walk(info, trace)) {
      for (const packet of scene.packets) {
        const chunk = at(trace.events, Number(packet.id.split(' ')[1])).collective?.chunk;
        const tiles = scene.rooms[packet.from]?.bucket?.tiles;
        expect(tiles?.find((t) => t.chunk === chunk)?.sending).toBe(true);
        outlined++;
      }
    }
    expect(outlined).toBeGreaterThan(0);
  });
});

describe('idle devices', () => {
  it('of naive model parallel are greyed: never two that compute at once', async () => {
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
    const clean = inTimeOrder(await session.api.traceStep());
    const target = must(
      clean.events.find((e) => e.kind === 'recv'),
      'receive',
    );
    await session.api.reset();
    await session.api.corrupt(target.id, 5);
    const broken = inTimeOrder(await session.api.traceStep());
    const valueIn = (trace: StepTrace): number | undefined => {
      const facts = createTraceFacts(session.info, trace);
      const plan = planStage(session.info, trace, facts.packets, SIZE);
      const event = trace.events.findIndex((e) => e.id === target.id);
      const scene = stageScene(plan, facts.at({ event, fraction: 1 }, 'modelled'));
      const tile = scene.rooms[target.device]?.bucket?.tiles.find((t) => t.cells?.offset === target.slice?.offset);
      return tile?.cells && cellValue(tile.cells, 0, 0);
    };
    expect(must(valueIn(broken), 'tile') - must(valueIn(clean), 'tile')).toBeCloseTo(5, 4);
    await session.close();
  });
});
