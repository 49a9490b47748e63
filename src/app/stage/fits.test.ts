/**
 * All text that the painter writes on the stage fits, in five sizes of the figure, with 1 to 16 ranks, in every mode
 * and family of nets, at every kind of moment of real steps: no text is too small, leaves its room, or covers another.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { openTestSession } from '../../session/testing/open-session';
import { lastOf } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import { bottom, overlaps, type Rect, right, type Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import type { MeasureText } from '../draw/text';
import { palette } from '../testing/palette';
import { SMALL_CNN, SMALL_GPT } from '../testing/small-runs';
import { createTraceFacts } from './facts-at';
import { paintStage } from './paint-stage';
import { planStage, stageScene } from './scene';
import type { RoomScene } from './scene-types';

/** The figure's sizes in windows of 1920x1080, 1440x900, 1280x720, 1024x768 and 390x844. */
const SIZES: readonly Size[] = [
  { width: 1330, height: 620 },
  { width: 850, height: 440 },
  { width: 690, height: 300 },
  { width: 724, height: 340 },
  { width: 390, height: 560 },
];

const cnn = { ...SMALL_CNN, batchSize: 16 };
const gpt = { ...SMALL_GPT, batchSize: 8 };
const cap = { bucketCapMb: 0.00025 };
/** Sixteen Linear layers, and rows for every micro-batch. */
const deep: ConfigInput = {
  model: { layers: mlpLayers([2, ...Array.from({ length: 15 }, () => 8), 1], 'Tanh') },
  data: { type: 'xor', samples: 64 },
  batchSize: 32,
};
const RUNS: Readonly<Record<string, ConfigInput>> = {
  'one device': { mode: 'single' },
  ...Object.fromEntries(
    [2, 3, 4, 6, 8, 12, 16].map((worldSize) => [
      `DDP of ${worldSize}`,
      { mode: 'ddp', worldSize, batchSize: 4 * worldSize, ddp: cap },
    ]),
  ),
  'naive DDP of 4': { mode: 'ddp', worldSize: 4, ddp: { ...cap, algorithm: 'naive' } },
  ...Object.fromEntries(
    [2, 8, 16].map((worldSize) => [`DataParallel of ${worldSize}`, { mode: 'dataParallel', worldSize, batchSize: 32 }]),
  ),
  'model parallel of 3': { mode: 'modelParallel', worldSize: 3 },
  ...Object.fromEntries(
    [3, 8].map((worldSize) => [
      `parameter server of ${worldSize}`,
      { mode: 'parameterServer', worldSize, batchSize: 32 },
    ]),
  ),
  'a pipeline of 4': { mode: 'pipeline', worldSize: 4, ...deep },
  'a pipeline of 2, GPipe': {
    mode: 'pipeline',
    worldSize: 2,
    ...deep,
    pipeline: { schedule: 'GPipe', microBatches: 16 },
  },
  'two pipelines of 4': { mode: 'pipeline', worldSize: 8, mesh: { dp: 2 }, ...deep },
  'a pipeline of 16': { mode: 'pipeline', worldSize: 16, ...deep, pipeline: { microBatches: 16 } },
  'a zero-bubble pipeline of 4': { mode: 'pipeline', worldSize: 4, ...deep, pipeline: { schedule: 'ZBVZeroBubble' } },
  'convolutions in 3 stages': { ...cnn, mode: 'pipeline', worldSize: 3, pipeline: { microBatches: 4 } },
  'a GPT in 4 stages': { ...gpt, mode: 'pipeline', worldSize: 4, pipeline: { microBatches: 4 } },
  'convolutions on one': { ...cnn, mode: 'single' },
  'convolutions on 4': { ...cnn, mode: 'ddp', worldSize: 4 },
  'a GPT on one': { ...gpt, mode: 'single' },
  'a GPT on 4': { ...gpt, mode: 'ddp', worldSize: 4 },
  'a GPT on 8': { ...gpt, mode: 'dataParallel', worldSize: 8 },
};

interface Written {
  readonly text: string;
  readonly size: number;
  readonly rect: Rect;
}

/** Measures as a wide font; if its text fits, other fonts fit too. */
const measure: MeasureText = (text, { size }) => 0.58 * size * text.length;

/** Draws nothing and records the written texts. */
function recorder(): { readonly ink: Ink; readonly texts: readonly Written[] } {
  const texts: Written[] = [];
  const state: Record<string, unknown> = {};
  const context = new Proxy(state, {
    get: (own, key) => {
      if (key !== 'fillText') return own[String(key)] ?? (() => undefined);
      return (text: string, x: number, y: number) => {
        const size = Number(/([\d.]+)px/.exec(String(own['font']))?.[1]);
        const width = measure(text, { size });
        const left = own['textAlign'] === 'center' ? x - width / 2 : own['textAlign'] === 'right' ? x - width : x;
        texts.push({ text, size, rect: { x: left, y: y - 0.72 * size, width, height: 0.9 * size } });
      };
    },
    set: (own, key, value) => {
      own[String(key)] = value;
      return true;
    },
  });
  const ink: Ink = {
    context: context as unknown as CanvasRenderingContext2D,
    palette,
    measure,
    pixelRatio: 1,
    heat: () => undefined,
    hatch: () => '',
  };
  return { ink, texts };
}

const within = (a: Rect, b: Rect): boolean =>
  a.x >= b.x - 1 && a.y >= b.y - 1 && right(a) <= right(b) + 1 && bottom(a) <= bottom(b) + 1;
const smaller = (r: Rect): Rect => ({ x: r.x + 1, y: r.y + 1, width: r.width - 2, height: r.height - 2 });

function faults(texts: readonly Written[], rooms: readonly Rect[], stage: Size): readonly string[] {
  const found: string[] = [];
  // A packet with unknown values shows an ellipsis, which moves with the packet.
  const standing = texts.filter(({ text }) => text !== '…');
  standing.forEach((own, i) => {
    const { text, size, rect } = own;
    if (size < 11) found.push(`"${text}" has ${size} px`);
    if (!within(rect, { x: 0, y: 0, ...stage })) found.push(`"${text}" is outside of the stage`);
    if (rooms.some((room) => overlaps(smaller(rect), room) && !within(rect, room)))
      found.push(`"${text}" crosses the edge of a room`);
    for (const other of standing.slice(i + 1))
      if (overlaps(smaller(rect), smaller(other.rect))) found.push(`"${text}" is over "${other.text}"`);
  });
  return found;
}

/** The width of the smallest room with a place for words beside the rank's name. */
const WORDED = 110;

/** An idle room says so and shows its last picture; a replica that the step makes anew has no picture at first. */
function restFaults(
  rooms: readonly RoomScene[],
  texts: readonly Written[],
  keeps: (device: number) => boolean,
): readonly string[] {
  return rooms.flatMap(({ device, activity, title, rect, now, maps, chunks, stage, under, over }) => {
    if (activity !== 'idle' && activity !== 'done') return [];
    const said = rect.width < WORDED || texts.some((own) => now.includes(own.text) && within(own.rect, rect));
    const shown = maps.some(({ cells }) => cells) || chunks || stage?.kept.length || under.length + over.length > 0;
    return [
      ...(said ? [] : [`${title}, ${rect.width} wide, does not say that it is ${activity}: ${now.join(' | ')}`]),
      ...(shown || !keeps(device) ? [] : [`${title}, which is ${activity}, shows nothing`]),
    ];
  });
}

/**
 * The empty place of a result says that the result is being computed; a room without labels names the product in its
 * header.
 */
function resultFaults(rooms: readonly RoomScene[], texts: readonly Written[]): readonly string[] {
  return rooms.flatMap(({ title, rect, maps, words, signs, frame, activity, over }) => {
    const blank = maps.filter((m) => m.under && !m.cells && m.rect.width >= 100 && m.rect.height >= 20);
    const silent = blank.filter((m) => !texts.some((own) => own.text === 'being computed' && within(own.rect, m.rect)));
    const named = words.length > blank.length || over.length > 0 || signs.length === 0 || activity !== 'computing';
    const said = texts.some((own) => /: .+ = /.test(own.text) && within(own.rect, rect));
    return [
      ...silent.map(() => `${title} has an empty result without a word`),
      ...(named || said || frame.level !== 'glyph' || rect.width < 340 ? [] : [`${title} does not name its product`]),
    ];
  });
}

/** Runs for the rest tier: the quick tier paints the same mode with fewer rooms, and another run with as many rooms. */
const IN_REST = /^(DDP of (6|12)|DataParallel of 16|a pipeline of 16|two pipelines of 4|a GPT on 4)$/;
const BESIDE = 'a run of this mode with fewer rooms is painted, and so are as many rooms in another mode';

for (const [name, config] of Object.entries(RUNS))
  test(name, place(IN_REST.test(name) ? { rest: BESIDE } : {}), async () => {
    const session = await openTestSession({ ...config, device: 'cpu', compareSingle: false });
    await session.api.traceStep();
    const trace = byMoments(await session.api.traceStep());
    await session.close();
    const { info } = session;
    const facts = createTraceFacts(info, trace);
    const kinds = new Map(
      trace.moments.map((m) => [`${m.kind} ${m.phase} ${m.round?.part ?? ''} ${m.module === ''}`, m]),
    );
    const found = new Set<string>();
    const keeps = (device: number): boolean => must(info.roles[device], 'a role').keepsState;
    for (const size of SIZES) {
      const plan = planStage(info, trace, facts.packets, size);
      for (const [kind, moment] of kinds) {
        for (const fraction of [0.5, 1]) {
          const scene = stageScene(plan, facts.at({ event: lastOf(moment), fraction }, 'modelled'));
          const { ink, texts } = recorder();
          paintStage(ink, scene, { hovered: [], pinned: [] });
          expect(texts.length).toBeGreaterThan(0);
          for (const fault of faults(texts, plan.layout.rooms, size)) found.add(`${size.width}, ${kind}: ${fault}`);
          for (const fault of [...resultFaults(scene.rooms, texts), ...restFaults(scene.rooms, texts, keeps)])
            found.add(`${size.width}, ${kind}: ${fault}`);
        }
      }
    }
    expect([...found]).toEqual([]);
  });

test("DDP's constructor shows all layers, and frames the parameter that is sent", async () => {
  const session = await openTestSession({ mode: 'ddp', worldSize: 4, device: 'cpu', compareSingle: false });
  await session.close();
  const { info } = session;
  const trace = byMoments(must(info.construct, 'what the constructor sent'));
  const facts = createTraceFacts(info, trace);
  const plan = planStage(info, trace, facts.packets, { width: 850, height: 440 });
  for (const moment of trace.moments.filter((m) => m.kind === 'round')) {
    const { rooms } = stageScene(plan, facts.at({ event: lastOf(moment), fraction: 1 }, 'modelled'));
    for (const { maps, chunks, device } of rooms) {
      expect(maps).toHaveLength(info.parameters.length);
      expect(maps.every(({ cells }) => cells !== undefined)).toBe(true);
      expect(chunks?.chunks).toHaveLength(1);
      expect(chunks?.chunks.map((c) => (device === 0 ? c.sends : c.arrival?.from))).toEqual([device === 0 ? true : 0]);
      expect(maps.map(({ rect }) => rect)).toContainEqual(chunks?.chunks[0]?.map.rect);
    }
  }
});

test('a room too low for a row of chunks below its layers shows the chunks themselves while they travel', async () => {
  const session = await openTestSession({ mode: 'ddp', worldSize: 4, ddp: cap, device: 'cpu', compareSingle: false });
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const { info } = session;
  const facts = createTraceFacts(info, trace);
  const rounds = trace.moments.filter((m) => m.kind === 'round');
  expect(new Set(rounds.map((m) => m.bucket)).size).toBeGreaterThan(1);
  for (const size of [
    { width: 390, height: 560 },
    { width: 850, height: 440 },
  ]) {
    const plan = planStage(info, trace, facts.packets, size);
    for (const moment of rounds) {
      const { rooms } = stageScene(plan, facts.at({ event: lastOf(moment), fraction: 0.5 }, 'modelled'));
      for (const { chunks } of rooms) {
        expect(chunks?.bucket).toBe(moment.bucket);
        expect(chunks?.chunks.some((c) => c.sends || c.arrival)).toBe(true);
      }
    }
  }
});

test('a room that has not worked yet shows its one layer large, and whom it waits for', async () => {
  const session = await openTestSession({ mode: 'modelParallel', worldSize: 3, device: 'cpu', compareSingle: false });
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const { info } = session;
  const facts = createTraceFacts(info, trace);
  const plan = planStage(info, trace, facts.packets, { width: 850, height: 440 });
  const moment = must(
    trace.moments.find((m) => m.kind === 'compute' && m.phase === 'forward'),
    'a forward',
  );
  const { rooms } = stageScene(plan, facts.at({ event: lastOf(moment), fraction: 0.5 }, 'modelled'));
  const { frame, maps, now } = must(rooms[2], 'the last room');
  expect(now).toContain('waits for cuda:1');
  const [weight] = maps;
  expect(must(weight, 'its weights').rect.width).toBeGreaterThan(0.7 * frame.body.width);
  expect(must(weight, 'its weights').rect.height).toBeGreaterThan(0.3 * frame.body.height);
});

test('four rooms on a laptop: each that is idle says for whom it waits, in words that are painted', async () => {
  const session = await openTestSession({
    mode: 'modelParallel',
    worldSize: 4,
    ...deep,
    device: 'cpu',
    compareSingle: false,
  });
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  const plan = planStage(session.info, trace, facts.packets, { width: 856, height: 388 });
  const moment = must(
    trace.moments.find((m) => m.kind === 'compute' && m.phase === 'forward'),
    'a forward',
  );
  const scene = stageScene(plan, facts.at({ event: lastOf(moment), fraction: 0.5 }, 'modelled'));
  const { ink, texts } = recorder();
  paintStage(ink, scene, { hovered: [], pinned: [] });
  for (const { rect, title } of scene.rooms.filter(({ activity }) => activity === 'idle'))
    expect(
      texts.filter((own) => within(own.rect, rect) && own.text.startsWith('waits for cuda:')),
      title,
    ).toHaveLength(1);
  expect(scene.rooms.filter(({ activity }) => activity === 'idle')).toHaveLength(3);
});
