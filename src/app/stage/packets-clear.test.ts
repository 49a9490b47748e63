/** With eight pipeline ranks no packet lies over a room, on a laptop and on a phone. */
import { expect, test } from 'vitest';
import { mlpLayers } from '../../protocol/presets';
import { openTestSession } from '../../session/testing/open-session';
import { firstOf } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import { grow, overlaps } from '../draw/geometry';
import { createTraceFacts } from './facts-at';
import { planStage, stageScene } from './scene';

const SIZES = [
  { width: 860, height: 400 },
  { width: 700, height: 300 },
  { width: 390, height: 590 },
];
/** How far a moment is, in its first event. */
const PLACES = [0.1, 0.5, 0.9];

test.each([
  ['1F1B', {}],
  ['ZBV', { pipeline: { schedule: 'ZBVZeroBubble' } }],
  ['two replicas of four stages', { mesh: { pp: 4, dpReplicate: 2 } }],
] as const)('%s', async (_, config) => {
  const session = await openTestSession({
    ...{ mode: 'pipeline', worldSize: 8, batchSize: 32, device: 'cpu', compareSingle: false },
    model: { layers: mlpLayers([2, ...Array.from({ length: 15 }, () => 8), 1], 'Tanh') },
    ...config,
  });
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  for (const size of SIZES) {
    const plan = planStage(session.info, trace, facts.packets, size);
    let packets = 0;
    for (const moment of trace.moments)
      for (const fraction of PLACES) {
        const scene = stageScene(plan, facts.at({ event: firstOf(moment), fraction }, 'modelled'));
        packets += scene.packets.length;
        const over = scene.packets.filter(({ rect }) =>
          scene.rooms.some((room) => overlaps(grow(rect, -1), room.rect)),
        );
        expect(over.map(({ id }) => `${size.width}: ${id}`)).toEqual([]);
      }
    expect(packets).toBeGreaterThan(10);
  }
});
