/**
 * The room of rank 0 for every operator, from real runs, in every size that the page gives rooms: for the test that
 * looks for cut or overlapping texts, and for the sheets of `npm run gallery -- rooms`. A picture is the room with
 * everything drawn over it, painted into SVG by the page's own painters.
 */
import { readFileSync } from 'node:fs';
import { must } from '../../../base/invariant';
import type { ConfigInput } from '../../../protocol/config';
import type { SessionInfo } from '../../../protocol/session-info';
import { openTestSession } from '../../../session/testing/open-session';
import { lastOf, type Moment, type MomentTrace } from '../../../trace/moments/moment';
import { byMoments } from '../../../trace/moments/moments';
import { bottom, type Rect, right, type Size } from '../../draw/geometry';
import type { MeasureText } from '../../draw/text';
import { readThemes, type ThemeName } from '../../draw/theme-sheet';
import { PAGE_PRESETS } from '../../edit/page-presets';
import { bareSvgOf } from '../../picture/write-picture';
import { createTraceFacts, type TraceFacts } from '../facts-at';
import { pictureOf } from '../operators/pictures';
import { paintStage } from '../paint-stage';
import { planStage, stageScene } from '../scene';
import type { RoomScene, StageScene } from '../scene-types';

/** The stage in a window of 1440 × 900, and on a phone of 390 × 844. */
const LAPTOP: Size = { width: 856, height: 388 };
const PHONE: Size = { width: 390, height: 592 };

export const PLACES = {
  '4 ranks': { ranks: 4, size: LAPTOP },
  '8 ranks': { ranks: 8, size: LAPTOP },
  '16 ranks': { ranks: 16, size: LAPTOP },
  phone: { ranks: 4, size: PHONE },
} as const;
export type PlaceName = keyof typeof PLACES;

/** Layers and losses that no preset has. */
const OTHERS: ConfigInput = {
  model: {
    layers: [
      { type: 'Conv2d', in: 1, out: 8, kernel: 3, padding: 1 },
      { type: 'GroupNorm', groups: 2, channels: 8 },
      { type: 'Sigmoid' },
      { type: 'AvgPool2d', kernel: 2 },
      { type: 'Residual', layers: [{ type: 'Conv2d', in: 8, out: 8, kernel: 3, padding: 1 }] },
      { type: 'AdaptiveAvgPool2d', output: 2 },
      { type: 'Flatten' },
      { type: 'Dropout', p: 0.25 },
      { type: 'Linear', in: 32, out: 6 },
      { type: 'LogSoftmax' },
    ],
  },
  data: { type: 'shapes', size: 12, samples: 96 },
  loss: { type: 'NLLLoss' },
  optimizer: { type: 'Adam', lr: 0.01 },
};
const ROWS: ConfigInput = {
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 16 },
      { type: 'BatchNorm1d', features: 16 },
      { type: 'ReLU' },
      { type: 'Linear', in: 16, out: 1 },
    ],
  },
  data: { type: 'plane' },
  loss: { type: 'MSELoss' },
  ddp: { gradientAsBucketView: true },
};

const { mlp, deepMlp, cnn, gpt } = PAGE_PRESETS;
const RUNS: Readonly<Record<string, ConfigInput>> = {
  mlp: { ...mlp, mode: 'ddp' },
  cnn: { ...cnn, mode: 'ddp' },
  gpt: { ...gpt, mode: 'ddp' },
  others: { mode: 'ddp', ...OTHERS },
  rows: { mode: 'ddp', ...ROWS },
  pipeline: { ...deepMlp, mode: 'pipeline' },
};
export const RUN_NAMES = Object.keys(RUNS);

/** Estimates the width of a text, because no browser can measure it here; saved pictures do the same. */
export const guessed: MeasureText = (text, { size }) => 0.55 * size * text.length;

export interface RoomPicture {
  /** 'gpt, forward: attention/self-attention' */
  readonly name: string;
  readonly room: RoomScene;
  /** The scene with only this room, and everything drawn over it. */
  readonly scene: StageScene;
}

interface TracedRun {
  readonly info: SessionInfo;
  readonly trace: MomentTrace;
  readonly facts: TraceFacts;
}

async function traced(run: string, ranks: number): Promise<TracedRun> {
  const config = must(RUNS[run], 'a run');
  const session = await openTestSession({
    ...config,
    worldSize: ranks,
    batchSize: Math.max(32, 4 * ranks),
    device: 'cpu',
    compareSingle: false,
  });
  await session.api.traceStep();
  const trace = byMoments(await session.api.traceStep());
  await session.close();
  return { info: session.info, trace, facts: createTraceFacts(session.info, trace) };
}

/**
 * A picture for each kernel and phase that the room of rank 0 shows, and for each other kind of view. Each run is made
 * once per number of ranks and serves all sizes of rooms.
 */
export function createRoomPictures(): (run: string, at: PlaceName) => Promise<readonly RoomPicture[]> {
  const runs = new Map<string, Promise<TracedRun>>();
  return async (run, at) => {
    const { ranks, size } = PLACES[at];
    // The pipeline's net has few layers, which limits its stages.
    const worldSize = run === 'pipeline' ? Math.min(8, ranks) : ranks;
    const key = `${run} ${worldSize}`;
    const made = runs.get(key) ?? traced(run, worldSize);
    runs.set(key, made);
    const { info, trace, facts } = await made;
    const plan = planStage(info, trace, facts.packets, size);
    const shown = [...momentsToShow(run, { trace, facts })];
    return shown.flatMap(([name, moment]): RoomPicture[] => {
      const scene = stageScene(plan, facts.at({ event: lastOf(moment), fraction: 1 }, 'modelled'));
      const room = scene.rooms[0];
      return room ? [{ name, room, scene: { ...scene, rooms: [room] } }] : [];
    });
  };
}

/** The last moment of each kind; for a pipeline rank, a moment in the middle of its work. */
function momentsToShow(run: string, { trace, facts }: Omit<TracedRun, 'info'>): ReadonlyMap<string, Moment> {
  const found = new Map<string, Moment>();
  for (const moment of trace.moments) {
    const view = facts.step.views.at(moment.index, 0);
    const event = 'event' in view ? trace.events[view.event] : undefined;
    if ('event' in view && !moment.events.includes(view.event)) continue;
    const kernel = event?.name ?? '';
    const what =
      event === undefined ? view.shows : `${event.phase}: ${kernel}${pictureOf(kernel) ? '' : ', as a line'}`;
    const name = `${run}, ${what}`;
    const middle = moment.index > trace.moments.length / 2;
    if (view.shows === 'stage' && middle && found.has(name)) continue;
    found.set(name, moment);
  }
  return found;
}

export function svgOfRoom({ room, scene }: RoomPicture, theme: ThemeName): string {
  const { palette } = readThemes(readFileSync(new URL('../../draw/theme.css', import.meta.url), 'utf8'))[theme];
  const paint: Parameters<typeof bareSvgOf>[0]['paint'] = (ink) => paintStage(ink, scene, { hovered: [], pinned: [] });
  const whole = bareSvgOf({ width: scene.width, height: scene.height, paint }, palette, guessed);
  const { x, y, width, height } = room.rect;
  const margin = 6;
  const box = [x - margin, y - margin, width + 2 * margin, height + 2 * margin];
  return whole.replace(
    /^<svg ([^>]*?) width="[^"]*" height="[^"]*" viewBox="[^"]*"/,
    `<svg $1 width="${box[2]}" height="${box[3]}" viewBox="${box.join(' ')}"`,
  );
}

/** Sentences about text that does not fit in the room; empty if everything fits. */
export function faultsOfRoom(picture: RoomPicture): readonly string[] {
  const { rect } = picture.room;
  const texts = [...svgOfRoom(picture, 'light').matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].flatMap(
    ([, given = '', text = '']): (Rect & { readonly text: string; readonly size: number })[] => {
      const value = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(given)?.[1] ?? '';
      const [x, y, size] = [Number(value('x')), Number(value('y')), Number(value('font-size'))];
      const width = guessed(text.replaceAll(/&\w+;/g, '&'), { size });
      const anchor = value('text-anchor');
      const left = anchor === 'end' ? x - width : anchor === 'middle' ? x - width / 2 : x;
      const inside = x >= rect.x && x <= right(rect) && y >= rect.y && y <= bottom(rect);
      return inside ? [{ x: left, y: y - 0.72 * size, width, height: 0.78 * size, text, size }] : [];
    },
  );
  const found: string[] = [];
  texts.forEach((a, i) => {
    if (/\S…$/.test(a.text) && a.y > picture.room.frame.body.y) found.push(`"${a.text}" is cut`);
    if (a.size < 10.9) found.push(`"${a.text}" has ${a.size} px`);
    if (a.x < rect.x - 1 || right(a) > right(rect) + 1 || bottom(a) > bottom(rect) + 1)
      found.push(`"${a.text}" is outside of the room`);
    for (const b of texts.slice(i + 1)) {
      const across = Math.min(right(a), right(b)) - Math.max(a.x, b.x);
      const down = Math.min(bottom(a), bottom(b)) - Math.max(a.y, b.y);
      if (across > 1 && down > 1) found.push(`"${a.text}" is over "${b.text}"`);
    }
  });
  return found;
}

/** The share of the room's body that the drawn content spans. */
export function filled({ room }: RoomPicture): number {
  const { body } = room.frame;
  const paths = [...room.under, ...room.over].flatMap((shape) => {
    if (shape.shape === 'box') return [shape.rect];
    const points = shape.shape === 'dots' ? shape.points : shape.path;
    const xs = points.map(({ x }) => x);
    const ys = points.map(({ y }) => y);
    const x = Math.min(...xs);
    const y = Math.min(...ys);
    return points.length > 0 ? [{ x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }] : [];
  });
  const chunks = (room.chunks?.chunks ?? []).map(({ at }) => at.frame);
  const stage = [...(room.stage?.kept.map(({ rect }) => rect) ?? []), ...(room.stage?.free ?? [])];
  const all = [...room.maps.map(({ rect }) => rect), ...paths, ...chunks, ...stage];
  if (all.length === 0) return 0;
  const x = Math.min(...all.map((r) => r.x));
  const y = Math.min(...all.map((r) => r.y));
  const wide = Math.max(...all.map(right)) - x;
  const high = Math.max(...all.map(bottom)) - y;
  return (wide * high) / Math.max(1, body.width * body.height);
}
