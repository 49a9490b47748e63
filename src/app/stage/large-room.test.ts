/** An opened room shows the same device at the same cursor as the small room, with all its words. */
import { describe, expect, it } from 'vitest';
import { place } from '../../../scripts/tier';
import { openTestSession } from '../../session/testing/open-session';
import { lastOf } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import { bottom, right, type Size } from '../draw/geometry';
import { createTraceFacts } from './facts-at';
import { createLargeRoom } from './large-room';
import { planStage, stageScene } from './scene';

const PHONE = { width: 390, height: 592 };
const LAPTOP = { width: 856, height: 388 };

const WORDS = 'of %s is within the stage and says what the small room has no place for';

it.each([
  ['sixteen ranks on a laptop', 16, LAPTOP],
  ['eight ranks on a phone', 8, PHONE],
] as const)(WORDS, (_, worldSize, size) => isOpened(worldSize, size));

describe(
  'of a large world',
  place({ rest: 'rooms of 16 ranks are opened here; layout tests hold the rooms of 64' }),
  () => {
    it.each([
      ['64 ranks on a laptop', 64, LAPTOP],
      ['64 ranks on a phone', 64, PHONE],
    ] as const)(WORDS, (_, worldSize, size) => isOpened(worldSize, size));
  },
);

async function isOpened(worldSize: number, size: Size): Promise<void> {
  const session = await openTestSession({
    mode: 'ddp',
    worldSize,
    batchSize: 128,
    device: 'cpu',
    compareSingle: false,
  });
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  const plan = planStage(session.info, trace, facts.packets, size);
  const large = createLargeRoom();
  const device = worldSize - 1;
  let [pictures, worded] = [0, 0];
  // A large world has some 150 moments, mostly rounds of one ring: every tenth is enough.
  const moments = trace.moments.filter((_, i) => worldSize < 64 || i % 10 === 0 || i === trace.moments.length - 1);
  for (const moment of moments) {
    const now = facts.at({ event: lastOf(moment), fraction: 1 }, 'modelled');
    const small = stageScene(plan, now);
    const opened = large.look(plan, now, device);
    const beside = small.rooms[device];
    if (!opened || !beside) throw new Error('no room');
    const { room, items } = opened;
    expect([room.title, room.now, room.activity]).toEqual([beside.title, beside.now, beside.activity]);
    for (const rect of [room.rect, opened.close, ...opened.turns.map((turn) => turn.rect)]) {
      expect(Math.min(rect.x, rect.y)).toBeGreaterThanOrEqual(0);
      expect(right(rect)).toBeLessThanOrEqual(size.width);
      expect(bottom(rect)).toBeLessThanOrEqual(size.height);
    }
    expect(room.frame.level).toBe('whole');
    expect(items.every((item) => item.device === device)).toBe(true);
    expect(items.some((item) => item.closesRoom)).toBe(true);
    const turns = items.flatMap((item) =>
      item.id === 'opened next' || item.id === 'opened before' ? item.opensRoom : [],
    );
    expect(turns).toEqual([worldSize - 2, 0]);
    expect(small.items.some((item) => item.opensRoom === device)).toBe(true);
    if (room.chunks) continue;
    pictures++;
    if (room.words.length > beside.words.length) worded++;
  }
  expect(worded).toBeGreaterThan(0.8 * pictures);
  expect(large.look(plan, facts.at({ event: 0, fraction: 1 }, 'modelled'), worldSize)).toBeUndefined();
}
