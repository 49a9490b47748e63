/** One room as data: its words, cells and bars at the cursor, and their tooltips. Pure. */
import { formatValue } from '../draw/canvas-numbers';
import { grow, type Rect, right } from '../draw/geometry';
import { chunkScenes, heldWords } from './chunk-scene';
import type { LayerPlace } from './devices';
import { memoryScene } from './memory-scene';
import type { OperatorDrawing } from './operators/drawn';
import { pipelineScene } from './pipeline-scene';
import type { RoomContent } from './room-content';
import type { RoomInput } from './room-input';
import { layerMatrices, NO_MATRICES, productMatrices, weightStrip } from './room-matrices';
import { bucketTabs, tabItems } from './room-tabs';
import type { MapScene, RoomScene, SceneItem, WordsScene } from './scene-types';

const COMPUTED = ['being computed', 'computing'];

/** Adds words to the empty place of a result that is being computed. */
const unfinished = (map: MapScene): MapScene =>
  map.under && !map.cells ? { ...map, awaited: { rows: 1, columns: 1, ...map.awaited, words: COMPUTED } } : map;

/** A product as a formula beside the rank's name, if its matrices have no room for labels: '2.weight.grad = δᵀ · h'. */
function formulaOf({ product: shown }: RoomContent): string | undefined {
  if (!shown || shown.layout.parts.some(({ label }) => label.height > 0)) return undefined;
  const { parts, signs } = shown.spec;
  return parts
    .map(({ labels }, i) => `${labels[1] ?? labels[0] ?? ''} ${signs[i] ?? ''}`)
    .join(' ')
    .trim();
}

const within = (module: string, path: string): boolean => module === path || module.startsWith(`${path}.`);

/** The frame around the computing layer among the small layers. */
function focusOf({ place, facts }: RoomInput, { product: shown, weights }: RoomContent): Rect | undefined {
  if (!shown || weights.length === 0) return undefined;
  const module = facts.now(place.device).module;
  const i =
    module === ''
      ? -1
      : place.layers.findIndex((l: LayerPlace) => within(l.module, module) || within(module, l.module));
  const at = weights[i];
  if (!at) return undefined;
  const last = at.bias ?? at.weight;
  return grow({ ...at.weight, width: right(last) - at.weight.x }, 3);
}

export function roomScene(
  input: RoomInput,
  drawing: OperatorDrawing | undefined,
): { readonly scene: RoomScene; readonly items: readonly SceneItem[] } {
  const { place, rect, content, facts, buckets } = input;
  const { frame, body } = content;
  const now = facts.now(place.device);
  // An operator's picture replaces its line of matrices, and, in an update, all layers.
  const parts = [
    drawing ?? productMatrices(input, content),
    drawing && !content.product ? NO_MATRICES : layerMatrices(input, content.weights, 'parameter'),
    drawing && !content.product ? NO_MATRICES : layerMatrices(input, content.gradients, 'gradient'),
  ];
  const shown = content.chunks ?? content.wire;
  const chunks = shown && chunkScenes(input, shown);
  const memory = memoryScene(place, facts.memory(place.device), frame.memory, input.memoryScale);
  const boxes = bucketTabs(input, content);
  const labels: WordsScene[] = [];
  if (content.gradientsLabel && !drawing)
    labels.push({
      at: content.gradientsLabel,
      texts: ['gradients of this step', 'gradients'],
      tone: 'soft',
      align: 'left',
    });
  if (body.wireLabel && content.wire)
    labels.push({ at: body.wireLabel, texts: wireWords(content, buckets.length), tone: 'soft', align: 'left' });
  // If a room has no place for all words, a press on its background opens it.
  const small = frame.level !== 'whole';
  const head: SceneItem = {
    id: `${place.device} device`,
    rect: small ? rect : frame.header,
    device: place.device,
    event: now.event,
    ...(small ? { opensRoom: place.device } : {}),
    tip: () => ({
      title: `${place.title} now`,
      facts: [
        ['doing', now.words[0] ?? ''],
        ['samples', place.samples.length === 0 ? 'none of its own' : place.samples.join(', ')],
        ...(small ? [['press', 'shows this room large'] as const] : []),
      ],
    }),
  };
  const maps = parts.flatMap((p) => p.maps);
  const stage = pipelineScene(input, content);
  const formula = drawing || now.activity !== 'computing' ? undefined : formulaOf(content);
  return {
    scene: {
      device: place.device,
      rect,
      frame,
      // Sentences mention stages, so a small room, which has no line below its title, has its stage as title.
      title: frame.subtitle ? place.title : (place.stage ?? place.title),
      subtitles: place.subtitles,
      activity: now.activity,
      phase: now.phase,
      now: now.words,
      ...(formula === undefined ? {} : { formula }),
      strip: weightStrip(input, body.strip),
      maps: maps.map((m) => unfinished(m.map)),
      words: [...parts.flatMap((p) => p.words), ...labels, ...(stage?.words ?? [])],
      ...(stage ? { stage: stage.scene } : {}),
      signs: parts.flatMap((p) => p.signs),
      under: drawing?.under ?? parts.flatMap((p) => ('outlines' in p ? (p.outlines ?? []) : [])),
      over: drawing?.over ?? [],
      focus: focusOf(input, content),
      tabs: boxes,
      chunks: chunks?.scene,
      memory: memory.scene,
      memoryWords: memory.words,
      held: () => [
        ...(drawing?.said ?? []),
        ...(stage?.held ?? []),
        ...heldWords(input, facts.wire(place.device) ?? shown?.exchange, formatValue),
      ],
    },
    items: [
      head,
      ...maps.map((m) => m.item),
      ...(drawing?.items ?? []),
      ...(chunks?.items ?? []),
      ...tabItems(input, boxes),
      ...(stage?.items ?? []),
      ...memory.items,
    ],
  };
}

function wireWords({ wire }: RoomContent, buckets: number): readonly string[] {
  const bucket = wire?.exchange.bucket;
  if (!bucket) return [''];
  const of = buckets > 1 ? `bucket ${bucket.index} of ${buckets}` : `bucket ${bucket.index}`;
  const parts = bucket.buffers.length > 1 ? 'pieces' : 'chunks';
  const chunks = bucket.chunks.length > 1 ? `${bucket.chunks.length} ${parts}` : 'in one piece';
  const parameters = bucket.parameters.map((p) => p.name).join(', ');
  return [`${of}, ${chunks}: ${parameters}`, `${of}, ${chunks}`, `bucket ${bucket.index}`];
}
