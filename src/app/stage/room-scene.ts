/** One room as data: its words, cells and bars at the cursor, and their tooltips. Pure. */
import { formatValue } from '../draw/canvas-numbers';
import { grow, type Rect, right } from '../draw/geometry';
import { chunkScenes, heldWords } from './chunk-scene';
import { type CutFrame, cutFrame, piecesIn } from './cut-frame';
import { elements, type LayerPlace, type ParameterPlace } from './devices';
import type { LayerLayout } from './layer-layout';
import { endOf, type MadeMap, type MatrixPart, matrixScene } from './matrix-scene';
import type { MatrixWindow } from './matrix-window';
import { memoryScene } from './memory-scene';
import type { OperatorDrawing } from './operators/drawn';
import { pipelineScene } from './pipeline-scene';
import type { RoomContent } from './room-content';
import type { RoomInput } from './room-input';
import type { MapScene, RoomScene, SceneItem, ShapeScene, SignScene, TabsScene, WordsScene } from './scene-types';

/** The window of a bias: the same rows as its weight's window. */
function columnWindow({ rows }: MatrixWindow, shape: readonly number[]): MatrixWindow {
  const whole = shape[0] ?? rows;
  const shown = Math.min(rows, whole);
  return { rows: shown, columns: 1, stride: 1, unit: 1, label: shown < whole ? `first ${shown} of ${whole}` : '' };
}

interface Parts {
  readonly maps: readonly MadeMap[];
  readonly words: readonly WordsScene[];
  readonly signs: readonly SignScene[];
  /** Outlines of the whole tensors of which the rank has parts. */
  readonly outlines?: readonly ShapeScene[];
}

const NOTHING: Parts = { maps: [], words: [], signs: [] };

function parameter(
  input: RoomInput,
  p: ParameterPlace | undefined,
  kind: 'parameter' | 'gradient',
  rect: Rect | undefined,
  window: MatrixWindow,
): readonly MadeMap[] {
  const buffer = kind === 'gradient' ? p?.gradient : p?.name;
  return p && rect && buffer !== undefined
    ? [matrixScene(input, { category: kind, buffer, shape: p.shape, rect, window })]
    : [];
}

function layers(input: RoomInput, layouts: readonly LayerLayout[], kind: 'parameter' | 'gradient'): Parts {
  const { place } = input;
  const maps = layouts.flatMap((at, i) => {
    const layer = place.layers[i];
    if (!layer) return [];
    return [
      ...parameter(input, layer.weight, kind, at.weight, at.window),
      ...parameter(input, layer.bias, kind, at.bias, columnWindow(at.window, layer.bias?.shape ?? [])),
    ];
  });
  const words = layouts.flatMap((at, i): WordsScene[] => {
    const layer = place.layers[i];
    if (!layer || !at.label) return [];
    const texts =
      kind === 'gradient'
        ? [`${layer.module}.weight.grad`, `${layer.module} grad`, layer.module, layer.module.replace(/^.*\./, '')]
        : layer.labels;
    return [{ at: at.label, texts, tone: 'soft', align: 'left' }];
  });
  return { maps, words, signs: [] };
}

/** The rank's part of a tensor, at its place in the outline of the whole. */
function framed(input: RoomInput, part: MatrixPart, cut: CutFrame | undefined) {
  if (!cut || part.window.tiles) return { maps: [matrixScene(input, part)], outlines: [] };
  return {
    maps: piecesIn(cut, part.rect, part.window).map((piece) => matrixScene(input, { ...part, ...piece })),
    outlines: [{ shape: 'box', rect: part.rect, stroke: 'soft', dash: [3, 3], lineWidth: 1 } as const],
  };
}

function product(input: RoomInput, { product: shown }: RoomContent): Parts {
  if (!shown) return NOTHING;
  const { spec, layout } = shown;
  const { facts } = input;
  const maps: MadeMap[] = [];
  const words: WordsScene[] = [];
  const outlines: ShapeScene[] = [];
  const add = (part: MatrixPart, cut: CutFrame | undefined, under: boolean) => {
    const made = framed(input, part, cut);
    maps.push(...made.maps.map((one) => (under ? { ...one, map: { ...one.map, under } } : one)));
    outlines.push(...made.outlines);
  };
  for (const at of layout.parts) {
    const part = spec.parts[at.part];
    if (!part) continue;
    const { buffer, shape, category } = part;
    const under = part.made && facts.under(shown.event);
    const cut = cutFrame(part.cut, part.transposed);
    add({ buffer, shape, category, rect: at.map, window: at.window }, cut, under);
    if (part.bias && at.bias) {
      const { cut: ofBias, ...bias } = part.bias;
      const window = columnWindow(at.window, bias.shape);
      add({ ...bias, category, rect: at.bias, window }, ofBias ? cutFrame(ofBias, false) : undefined, false);
    }
    if (at.label.height > 0)
      words.push({
        at: at.label,
        texts: labelsOf(part.labels, at.window),
        tone: part.made ? 'ink' : 'soft',
        align: 'left',
      });
  }
  if (layout.words) words.push({ at: layout.words, texts: spec.words, tone: 'soft', align: 'left' });
  return { maps, words, signs: layout.signs, outlines };
}

/** Adds to the labels which part of the matrix is shown, if not the whole. */
const labelsOf = (labels: readonly string[], { label }: MatrixWindow): readonly string[] =>
  label === '' ? labels : [`${labels.at(1) ?? labels[0] ?? ''}, ${label}`, ...labels];

/** All weights as one thin strip, each as long as its share of the elements. */
function strip(input: RoomInput, at: Rect | undefined): readonly MapScene[] {
  if (!at) return [];
  const { place, facts } = input;
  const all = place.layers.flatMap(({ weight, bias }) => (bias ? [weight, bias] : [weight]));
  const total = all.reduce((sum, p) => sum + elements(p.shape), 0);
  let x = at.x;
  return all.flatMap((p): MapScene[] => {
    const width = (elements(p.shape) / total) * at.width;
    const rect = { ...at, x, width };
    x += width;
    const content = facts.content(place.device, p.name);
    if (!content || (content.event === undefined && !place.keeps)) return [];
    const columns = Math.max(1, Math.min(content.values.length, Math.floor(width / 1.25)));
    const cells = { values: content.values, offset: 0, stride: columns, rows: 1, columns, end: endOf(input, p.name) };
    return [{ rect, cells, fresh: false, under: false, unit: undefined }];
  });
}

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

const TAB = 22;

function tabs({ buckets }: RoomInput, { body, chunks }: RoomContent): TabsScene | undefined {
  const at = body.tabs;
  const shown = chunks?.exchange.bucket?.index;
  if (!at || shown === undefined) return undefined;
  const words = 52;
  const most = Math.max(1, Math.floor((at.width - words) / (TAB + 4)));
  const first = Math.max(0, Math.min(buckets.length - most, shown - Math.floor(most / 2)));
  const boxes = buckets.slice(first, first + most).map(({ index }, i) => ({
    index,
    rect: { x: at.x + words + i * (TAB + 4), y: at.y, width: TAB, height: at.height },
  }));
  return { at, shown, boxes, count: buckets.length };
}

/** Items of the tabs; a tab shows its bucket in all rooms, until the next bucket is sent. */
function tabItems({ place, buckets, facts }: RoomInput, scene: TabsScene | undefined): readonly SceneItem[] {
  const sent = facts.wire(place.device)?.bucket?.index ?? -1;
  return (scene?.boxes ?? []).map(({ index, rect }) => ({
    id: `${place.device} tab ${index}`,
    rect,
    device: place.device,
    event: undefined,
    showsTab: { bucket: index, instead: sent },
    tip: () => ({
      title: `bucket ${index}`,
      facts: [
        [
          'holds',
          buckets
            .find((b) => b.index === index)
            ?.parameters.map((p) => p.name)
            .join(', ') ?? '',
        ],
        ['press', index === sent ? 'shows the bucket that is sent' : 'shows its chunks'],
      ],
    }),
  }));
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
    drawing ?? product(input, content),
    drawing && !content.product ? NOTHING : layers(input, content.weights, 'parameter'),
    drawing && !content.product ? NOTHING : layers(input, content.gradients, 'gradient'),
  ];
  const shown = content.chunks ?? content.wire;
  const chunks = shown && chunkScenes(input, shown);
  const memory = memoryScene(place, facts.memory(place.device), frame.memory, input.memoryScale);
  const boxes = tabs(input, content);
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
      strip: strip(input, body.strip),
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
