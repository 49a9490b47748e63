/**
 * The layout of a room for one view: made once for each size of room and each view, and kept with the plan. Nothing
 * here depends on the cursor, so a room's content does not move while a collective runs. Pure.
 */
import { bottom, grow, type Rect, right } from '../draw/geometry';
import { layoutChunks, layoutWire } from './chunk-layout';
import type { ChunkLayout, ChunksLayout } from './chunk-places';
import type { DevicePlace, LayerPlace } from './devices';
import type { Exchange } from './exchanges';
import { type LayerLayout, layoutLayers } from './layer-layout';
import { layoutStageRoom, type StageLayoutOfRoom } from './pipeline-layout';
import type { ProductLayout } from './product-blocks';
import { layoutProduct } from './product-layout';
import type { ProductSpec } from './product-spec';
import { type BodyLayout, divideBody, frameRoom, type RoomFrame } from './room-layout';
import type { RoomView } from './room-views';
import type { StepPicture } from './step-picture';

export interface ChunkContent {
  readonly exchange: Exchange;
  readonly layout: ChunksLayout;
}

export interface RoomContent {
  readonly frame: RoomFrame;
  readonly body: BodyLayout;
  /** The operator whose picture takes the place of the product, or of the weights. */
  readonly operation: { readonly event: number; readonly area: Rect } | undefined;
  readonly product: { readonly event: number; readonly spec: ProductSpec; readonly layout: ProductLayout } | undefined;
  readonly chunks: ChunkContent | undefined;
  readonly wire: ChunkContent | undefined;
  /** All weights, as the main content or small below it. */
  readonly weights: readonly LayerLayout[];
  readonly gradients: readonly LayerLayout[];
  readonly gradientsLabel: Rect | undefined;
  /** A pipeline rank's micro-batches, below its weights. */
  readonly stage?: StageLayoutOfRoom;
}

export interface ContentInput {
  readonly rect: Rect;
  readonly place: DevicePlace;
  readonly view: RoomView;
  readonly step: StepPicture | undefined;
  /** The exchange that began last, or, before any, the first one. */
  readonly wire: Exchange | undefined;
  readonly buckets: number;
}

const specs = (layers: readonly LayerPlace[]) =>
  layers.map(({ weight, bias }) => ({ weight: weight.shape, bias: bias !== undefined }));

/** The share of the body that weights take if gradients are shown with them. */
const WEIGHTS_SHARE = 0.58;
const LABEL = 17;

function chunkSpec(exchange: Exchange, device: number) {
  const rows = exchange.rows[device] ?? [];
  return { lengths: rows.map(({ length }) => length), ranks: exchange.rows.length };
}

/**
 * Frames around matrices of the room whose parameters are sent one by one, as by DDP's constructor; undefined if the
 * sent tensor is not a matrix of the room.
 */
function framed(exchange: Exchange, place: DevicePlace, weights: readonly LayerLayout[]): ChunksLayout | undefined {
  const rects = new Map<string, { readonly rect: Rect; readonly columns: number }>();
  weights.forEach(({ weight, bias, window }, i) => {
    const layer = place.layers[i];
    if (layer) rects.set(layer.weight.name, { rect: weight, columns: window.columns });
    if (layer?.bias && bias) rects.set(layer.bias.name, { rect: bias, columns: 1 });
  });
  const chunks = (exchange.rows[place.device] ?? []).flatMap(({ buffer, length }): ChunkLayout[] => {
    const at = rects.get(buffer);
    if (!at) return [];
    return [
      {
        frame: grow(at.rect, 1.5),
        cells: at.rect,
        columns: at.columns,
        rows: Math.ceil(length / at.columns),
        count: length,
        prints: false,
        bars: undefined,
        arrival: undefined,
        caption: undefined,
        worded: false,
        framesOnly: true,
      },
    ];
  });
  return chunks.length > 0 && chunks.length === exchange.rows[place.device]?.length
    ? { kind: 'tiles', chunks }
    : undefined;
}

const sendsLayers = ({ payload, rows }: Exchange, { device, layers }: DevicePlace): boolean => {
  const names = new Set(layers.flatMap(({ weight, bias }) => [weight.name, bias?.name]));
  return payload === 'parameter' && (rows[device] ?? []).every(({ buffer }) => names.has(buffer));
};

/** The operator picture of a view that shows one event; for a product only if its tensors are known. */
function operationOf(view: RoomView, area: Rect, known: boolean): RoomContent['operation'] {
  if (view.shows === 'product') return known ? { event: view.event, area } : undefined;
  return view.shows === 'update' || view.shows === 'clip' || view.shows === 'bucket'
    ? { event: view.event, area }
    : undefined;
}

const isBackward = (view: RoomView, step: StepPicture | undefined): boolean =>
  view.shows === 'product' && step?.trace.events[view.event]?.phase === 'backward';

/** How many times wider, and higher, than square a single layer's cells may be. */
const WIDER = 2.5;
const HIGHER = 5;

/** Widens a single layer to fill the room, because square cells would leave most of the room empty. */
function filling(layers: readonly LayerLayout[], area: Rect): readonly LayerLayout[] {
  const [only] = layers;
  if (!only || layers.length > 1) return layers;
  const { weight, bias } = only;
  const [cell, gap] = bias ? [bias.width, bias.x - right(weight)] : [0, 0];
  const wide = Math.max(1, Math.min(WIDER, (area.width - gap) / (weight.width + cell)));
  const high = Math.max(1, Math.min(HIGHER, (bottom(area) - weight.y) / weight.height));
  const large = { ...weight, width: weight.width * wide, height: weight.height * high };
  return [{ ...only, weight: large, bias: bias && { ...large, x: right(large) + gap, width: bias.width * wide } }];
}

export function contentOf({ rect, place, view, step, wire, buckets }: ContentInput): RoomContent {
  const frame = frameRoom(rect);
  const spec = view.shows === 'product' ? step?.product(view.event) : undefined;
  const inPlace = view.shows === 'chunks' && sendsLayers(view.exchange, place);
  const shows = inPlace || (view.shows === 'product' && !spec) ? 'weights' : view.shows;
  const body = divideBody(frame.body, frame.level, {
    strip: (shows === 'chunks' || shows === 'gradients') && place.layers.length > 0,
    layers: shows === 'product' && place.layers.length > 0,
    // Before backward no gradient enters a bucket, so the picture takes that place, too.
    wire: spec !== undefined && wire !== undefined && isBackward(view, step),
    tabs: shows === 'chunks' && buckets > 1,
  });
  const { main } = body;
  const empty = {
    frame,
    body,
    operation: operationOf(view, main, spec !== undefined),
    product: undefined,
    chunks: undefined,
    wire: undefined,
    weights: [],
    gradients: [],
    gradientsLabel: undefined,
  };
  const device = place.device;
  const all = specs(place.layers);
  if (view.shows === 'chunks') {
    const weights = inPlace ? layoutLayers(all, main) : undefined;
    const frames = weights && framed(view.exchange, place, weights);
    if (frames) return { ...empty, weights, chunks: { exchange: view.exchange, layout: frames } };
    const layout = layoutChunks(chunkSpec(view.exchange, device), main);
    return { ...empty, chunks: layout && { exchange: view.exchange, layout } };
  }
  if (spec && view.shows === 'product') {
    const layout = layoutProduct(spec, main);
    return {
      ...empty,
      product: layout && { event: view.event, spec, layout },
      weights: body.layers ? (layoutLayers(all, body.layers) ?? []) : [],
      wire: wire && body.wire && { exchange: wire, layout: layoutWire(chunkSpec(wire, device), body.wire) },
    };
  }
  if (shows === 'stage') {
    const { weights, stage } = layoutStageRoom(main, frame.level);
    return { ...empty, weights: weights ? (layoutLayers(all, weights) ?? []) : [], stage };
  }
  if (shows === 'gradients' || shows === 'clip' || shows === 'bucket')
    return { ...empty, gradients: layoutLayers(all, main) ?? [] };
  if (shows !== 'update') return { ...empty, weights: filling(layoutLayers(all, main) ?? [], main) };
  const high = WEIGHTS_SHARE * main.height;
  const under = { ...main, y: main.y + high + LABEL, height: main.height - high - LABEL };
  const gradients = frame.level === 'glyph' ? undefined : layoutLayers(all, under, false);
  const weights = layoutLayers(all, gradients ? { ...main, height: high - 4 } : main) ?? [];
  const gradientsLabel = gradients && { ...under, y: under.y - LABEL, height: LABEL };
  return { ...empty, weights, gradients: gradients ?? [], gradientsLabel };
}

/** For tests: rectangles drawn together in a room, which may not overlap. */
export function rectsOf({
  frame,
  body,
  product,
  chunks,
  wire,
  weights,
  gradients,
  gradientsLabel,
  stage,
}: RoomContent): readonly Rect[] {
  const layers = (own: readonly LayerLayout[]) => own.flatMap((l) => [l.label, l.weight, l.bias]);
  const tiles = (own: ChunkContent | undefined) =>
    (own?.layout.chunks ?? []).flatMap((c) => (c.framesOnly ? [] : [c.cells, c.bars, c.arrival, c.caption]));
  const parts = product?.layout.parts ?? [];
  return [
    frame.header,
    frame.subtitle,
    body.strip,
    body.tabs,
    body.wireLabel,
    ...parts.flatMap((p) => [p.label.height > 0 ? p.label : undefined, p.map, p.bias]),
    product?.layout.words,
    ...tiles(chunks),
    ...tiles(wire),
    ...layers(weights),
    gradientsLabel,
    ...layers(gradients),
    stage?.sums,
    stage?.keptLabel,
    stage?.kept,
    stage?.lossesLabel,
    stage?.losses,
    frame.memory?.bar,
    frame.memory?.label,
  ].flatMap((rect) => (rect ? [rect] : []));
}
