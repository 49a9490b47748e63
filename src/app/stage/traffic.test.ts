/**
 * The traffic between rooms in real steps: packets of a moment do not cover each other, no packet covers a label, and
 * the stage's edge cuts nothing off.
 */
import { expect, test } from 'vitest';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { openTestSession } from '../../session/testing/open-session';
import { firstOf, type Moment } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import { bottom, grow, overlaps, type Rect, right, type Size } from '../draw/geometry';
import { labelRect } from './arrow-labels';
import { createTraceFacts } from './facts-at';
import { planStage, stageScene } from './scene';
import type { StageScene } from './scene-types';

const SIZES: readonly Size[] = [
  { width: 1330, height: 620 },
  { width: 856, height: 388 },
  { width: 390, height: 592 },
];
const deep: ConfigInput = {
  model: { layers: mlpLayers([2, ...Array.from({ length: 7 }, () => 8), 1], 'Tanh') },
  data: { type: 'xor', samples: 64 },
  batchSize: 32,
};
const RUNS: Readonly<Record<string, ConfigInput>> = {
  'DataParallel of 8': { mode: 'dataParallel', worldSize: 8, batchSize: 32 },
  'parameter server of 6': { mode: 'parameterServer', worldSize: 6, batchSize: 32 },
  'DDP of 4': { mode: 'ddp', worldSize: 4 },
  'DDP of 8': { mode: 'ddp', worldSize: 8, batchSize: 32 },
  'DDP of 16': { mode: 'ddp', worldSize: 16, batchSize: 64 },
  'a pipeline of 4': { mode: 'pipeline', worldSize: 4, ...deep },
  'a pipeline of 8': { mode: 'pipeline', worldSize: 8, ...deep },
};
/** Fractions of a moment: leaving a room, in the middle, and arriving. */
const FRACTIONS = [0.15, 0.35, 0.5, 0.65, 0.85];

const cursorIn = (moment: Moment, part: number) => {
  const along = part * moment.events.length;
  const whole = Math.floor(along);
  return { event: firstOf(moment) + whole, fraction: along - whole };
};

const share = (a: Rect, b: Rect): number => {
  const across = Math.min(right(a), right(b)) - Math.max(a.x, b.x);
  const down = Math.min(bottom(a), bottom(b)) - Math.max(a.y, b.y);
  return across > 0 && down > 0 ? (across * down) / Math.min(a.width * a.height, b.width * b.height) : 0;
};

/** When two packets turn into neighbouring lanes, this share of one may briefly cover the other. */
const MOST_HIDDEN = 0.5;

function faults({ packets, arrows, width, height }: StageScene): readonly string[] {
  const found: string[] = [];
  packets.forEach((a, i) => {
    for (const b of packets.slice(i + 1))
      if (share(a.rect, b.rect) > MOST_HIDDEN) found.push(`${a.id} is over ${b.id}`);
    for (const { label } of arrows)
      if (label && overlaps(grow(labelRect(label), -1), a.rect)) found.push(`${a.id} is over "${label.text}"`);
  });
  const heads = arrows.flatMap(({ path }) => path);
  if (heads.some(({ x, y }) => x < 1 || y < 1 || x > width - 1 || y > height - 1)) found.push('an arrow is cut off');
  return found;
}

test.each(Object.entries(RUNS))('%s', async (_, config) => {
  const session = await openTestSession({ ...config, device: 'cpu', compareSingle: false });
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  const facts = createTraceFacts(session.info, trace);
  const found = new Set<string>();
  // One moment of each kind, because the rounds of a ring look alike.
  const kinds = new Map(
    trace.moments.map((m) => [`${m.kind} ${m.phase} ${m.round?.part ?? ''} ${m.events.length}`, m]),
  );
  const moments = [...kinds.values()].filter((m) => m.events.some((e) => trace.events[e]?.kind === 'send'));
  let packets = 0;
  let labels = 0;
  for (const size of SIZES) {
    const plan = planStage(session.info, trace, facts.packets, size);
    for (const moment of moments)
      for (const part of FRACTIONS) {
        const scene = stageScene(plan, facts.at(cursorIn(moment, part), 'modelled'));
        packets += scene.packets.length;
        labels += scene.arrows.filter(({ label }) => label).length;
        for (const fault of faults(scene)) found.add(`${size.width}, moment ${moment.index} at ${part}: ${fault}`);
      }
  }
  expect([...found]).toEqual([]);
  expect(packets).toBeGreaterThan(0);
  expect(labels).toBeGreaterThan(0);
});
