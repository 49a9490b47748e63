/**
 * The micro-batches in a pipeline rank's room at the cursor, as data: boxes for the backwards summed up, a tile for
 * each kept micro-batch, a bar for each loss. Pure; called by room-scene.ts.
 */

import { tensorName } from '../../trace/buffer-words';
import { bottom, type Rect } from '../draw/geometry';
import { endOf } from './matrix-scene';
import { layoutTiles } from './pipeline-layout';
import type { KeptMicroBatch, StageWork } from './pipeline-work';
import type { RoomContent } from './room-content';
import type { RoomInput } from './room-input';
import type { KeptTile, MapScene, SceneItem, StageScenePart, WordsScene } from './scene-types';

interface Made {
  readonly scene: StageScenePart;
  readonly words: readonly WordsScene[];
  readonly items: readonly SceneItem[];
  /** The kept micro-batches in words, for the table. */
  readonly held: readonly string[];
}

export function pipelineScene(input: RoomInput, { stage: at }: RoomContent): Made | undefined {
  const work = at && input.facts.stageWork?.(input.place.device);
  if (!work) return undefined;
  const words: WordsScene[] = [];
  const say = (rect: Rect | undefined, left: readonly string[], right: readonly string[]) => {
    if (!rect) return;
    words.push({ at: { ...rect, width: rect.width * 0.42 }, texts: left, tone: 'soft', align: 'left' });
    words.push({
      at: { ...rect, x: rect.x + rect.width * 0.44, width: rect.width * 0.56 },
      texts: right,
      tone: 'ink',
      align: 'right',
    });
  };
  const { kept, released, mostKept, summed, backwards } = work;
  say(at.sumsLabel, ['gradients'], [`sum of ${summed} of ${backwards}`, `${summed} of ${backwards}`]);
  say(at.keptLabel, ['kept for B', 'kept'], [`${kept.length} of at most ${mostKept}`, `${kept.length} of ${mostKept}`]);
  const losses = at.losses && work.losses ? lossBars(input, at.losses, work.losses) : [];
  if (losses.length > 0 && at.lossesLabel)
    words.push({ at: at.lossesLabel, texts: ['loss of each micro-batch', 'losses'], tone: 'soft', align: 'left' });
  const area = losses.length > 0 || !at.losses ? at.kept : { ...at.kept, height: bottom(at.losses) - at.kept.y };
  const places = layoutTiles(area, mostKept);
  // A rank that keeps no micro-batch shows the ones that it kept last, faded.
  const gone = kept.length === 0 && places.length > 0;
  const shown = gone ? released.slice(-places.length) : kept.slice(0, places.length);
  const tiles = shown.flatMap((one, i) => tile(input, places[i], { ...one, gone }, work));
  return {
    scene: {
      sums: at.sums ? boxes(at.sums, backwards, summed) : [],
      kept: tiles.map(({ scene }) => scene),
      free: places.slice(shown.length),
      losses,
    },
    words,
    items: tiles.map(({ item }) => item),
    held: [stageWords(work)],
  };
}

function boxes({ x, y, width, height }: Rect, count: number, done: number): StageScenePart['sums'] {
  const gap = count > 16 ? 1 : 3;
  const one = (width - gap * (count - 1)) / count;
  if (one < 1.5) return [{ rect: { x, y, width: (width * done) / count, height }, done: true }];
  return Array.from({ length: count }, (_, i) => ({
    rect: { x: x + i * (one + gap), y, width: one, height },
    done: i < done,
  }));
}

const NUMBER = 26;

function tile(
  input: RoomInput,
  rect: Rect | undefined,
  { buffer, stage, microBatch, now, gone }: KeptMicroBatch & { readonly gone: boolean },
  { stages }: StageWork,
): readonly { readonly scene: KeptTile; readonly item: SceneItem }[] {
  if (!rect) return [];
  const { place, facts } = input;
  const several = stages.length > 1;
  const text = several && rect.width >= 40 ? `${stage}·${microBatch}` : String(microBatch);
  const inner = { x: rect.x + NUMBER, y: rect.y + 4, width: rect.width - NUMBER - 5, height: rect.height - 8 };
  const map = inner.width >= 20 && inner.height >= 6 ? stripOf(input, buffer, inner) : undefined;
  const made = facts.content(place.device, buffer)?.event;
  return [
    {
      scene: { rect, text, map, now, gone },
      item: {
        id: `${place.device} kept ${stage} ${microBatch}`,
        rect,
        device: place.device,
        event: made,
        tip: () => ({
          title: `micro-batch ${microBatch} in stage ${stage}`,
          facts: [
            [
              'kept',
              gone ? 'no longer: its backward has used them' : 'its activations, until its backward has used them',
            ],
            ['shown', buffer === '' ? 'nothing: they stay on this rank' : tensorName(buffer)],
          ],
        }),
      },
    },
  ];
}

const CELL = 4;

function stripOf(input: RoomInput, buffer: string, rect: Rect): MapScene | undefined {
  const content = input.facts.content(input.place.device, buffer);
  if (!content || content.values.length === 0 || buffer === '') return undefined;
  const rows = Math.max(1, Math.floor(rect.height / CELL));
  const columns = Math.max(1, Math.min(Math.ceil(content.values.length / rows), Math.floor(rect.width / CELL)));
  const count = Math.min(content.values.length, rows * columns);
  const used = Math.ceil(count / columns);
  const cells = {
    values: content.values,
    offset: 0,
    stride: columns,
    rows: used,
    columns,
    count,
    end: endOf(input, buffer),
  };
  const width = Math.min(rect.width, columns * CELL);
  return { rect: { ...rect, width, height: used * CELL }, cells, fresh: false, under: false, unit: undefined };
}

function lossBars(
  { facts, place }: RoomInput,
  { x, y, width, height }: Rect,
  losses: readonly (string | undefined)[],
): StageScenePart['losses'] {
  const values = losses.map((buffer) =>
    buffer === undefined ? undefined : facts.content(place.device, buffer)?.values[0],
  );
  const most = Math.max(...values.map((value) => (value !== undefined && Number.isFinite(value) ? value : 0)), 1e-12);
  const gap = losses.length > 16 ? 1 : 3;
  const one = (width - gap * (losses.length - 1)) / losses.length;
  return values.map((value, i) => {
    const rect = { x: x + i * (one + gap), y, width: Math.max(1, one), height };
    const high = value === undefined ? 0 : Math.min(1, Math.max(0.02, value / most)) * height;
    return { rect, bar: value === undefined ? undefined : { ...rect, y: y + height - high, height: high } };
  });
}

/** '3 of at most 4 micro-batches kept (2, 3, 4), gradients the sum of 2 of 8'. */
function stageWords({ kept, mostKept, summed, backwards }: StageWork): string {
  const which = kept.length === 0 ? '' : ` (${kept.map(({ microBatch }) => microBatch).join(', ')})`;
  return `keeps ${kept.length} of at most ${mostKept} micro-batches${which}, gradients are the sum of ${summed} of ${backwards}`;
}
