/** Every kernel that a Program can have is drawn, by a picture of this folder or by the stage itself. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { PROGRAM_OPS } from '../../../parallel/modes';
import type { ConfigInput } from '../../../protocol/config';
import { openTestSession } from '../../../session/testing/open-session';
import { lastOf } from '../../../trace/moments/moment';
import { byMoments } from '../../../trace/moments/moments';
import { bottom, right } from '../../draw/geometry';
import { SMALL_CNN, SMALL_GPT } from '../../testing/small-runs';
import { createTraceFacts } from '../facts-at';
import { planStage, stageScene } from '../scene';
import { DRAWN_BY_STAGE, OPERATOR_PICTURE_LIST, pictureOf } from './pictures';

it('has exactly one picture for every operator of every Program', () => {
  const missing = [...PROGRAM_OPS.keys()].filter((name) => !pictureOf(name) && !DRAWN_BY_STAGE.has(name));
  expect(missing).toEqual([]);
  const all = [...OPERATOR_PICTURE_LIST.flatMap(({ operators }) => operators), ...DRAWN_BY_STAGE.keys()];
  expect(all.filter((name, i) => all.indexOf(name) !== i)).toEqual([]);
});

it('docs/rooms.md says what each picture shows', () => {
  const doc = readFileSync('docs/rooms.md', 'utf8');
  const rows = [...doc.matchAll(/^\| `([\w-]+)` \| (.+) \|$/gm)].map(([, name, shows]) => ({ name, shows }));
  expect(rows).toEqual(OPERATOR_PICTURE_LIST.map(({ name, shows }) => ({ name, shows })));
});

/** Shards as high as the layers of the small net. */
const SHARDS: ConfigInput = {
  mode: 'sharded',
  worldSize: 2,
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 16 },
      { type: 'Tanh' },
      { type: 'Linear', in: 16, out: 16 },
      { type: 'Tanh' },
      { type: 'Linear', in: 16, out: 2 },
      { type: 'Linear', in: 2, out: 1 },
    ],
  },
};

const RUNS: Readonly<Record<string, ConfigInput>> = {
  'a small net': { mode: 'single' },
  convolutions: { mode: 'single', ...SMALL_CNN },
  'a GPT': { mode: 'single', ...SMALL_GPT },
  'half precision': {
    mode: 'single',
    precision: 'autocast-fp16',
    gradScaler: { enabled: true },
  },
  'a net in shards': SHARDS,
  'shards that are gathered as halves': { ...SHARDS, sharded: { paramDtype: 'bfloat16' } },
};

describe.each(Object.entries(RUNS))('%s', (_, config) => {
  test('each picture is within its place and says in words what it shows', async () => {
    const session = await openTestSession({ ...config, device: 'cpu', compareSingle: false });
    const trace = byMoments(await session.api.traceStep());
    await session.close();
    const facts = createTraceFacts(session.info, trace);
    const plan = planStage(session.info, trace, facts.packets, { width: 860, height: 600 });
    const drawn = new Set<string>();
    for (const moment of trace.moments) {
      const now = facts.at({ event: lastOf(moment), fraction: 1 }, 'modelled');
      const view = now.view(0);
      if (!('event' in view) || !moment.events.includes(view.event)) continue;
      const name = trace.events[view.event]?.name ?? '';
      const scene = stageScene(plan, now);
      const [room] = scene.rooms;
      if (!pictureOf(name) || !room) continue;
      drawn.add(name);
      expect(room.held().join(' '), name).toMatch(/\d|=|makes/);
      const rects = room.maps.map(({ rect }) => rect);
      for (const rect of rects) {
        expect(rect.x, name).toBeGreaterThanOrEqual(room.rect.x);
        expect(right(rect), name).toBeLessThanOrEqual(right(room.rect) + 1);
        expect(bottom(rect), name).toBeLessThanOrEqual(bottom(room.rect) + 1);
      }
    }
    expect(drawn.size).toBeGreaterThan(2);
  });
});
