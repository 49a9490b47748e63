/** The picture agrees with the computation: the scene of a real step is compared with the step's events. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { at, must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import { contentsAt } from '../../trace/contents';
import { trafficOf } from '../../trace/links';
import { firstOf, lastOf, momentAt, progressIn } from '../../trace/moments/moment';
import { bottom, grow, overlaps, right } from '../draw/geometry';
import { cellValue, type HeatCells } from '../draw/heat-map';
import { SMALL_CNN, SMALL_GPT } from '../testing/small-runs';
import { createTraceFacts } from './facts-at';
import { rectsOf } from './room-content';
import { packetsToDraw, planStage, stageScene } from './scene';

import { SIZE, tracedStep, walk } from './testing/walked-step';

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
