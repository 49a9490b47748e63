/**
 * Where things lie inside a room: title, layers, activations, chunk tiles of the bucket, memory bar. Pure; called by
 * the scene, which fills it.
 */
import type { Rect } from '../draw/geometry';
import { LABEL, type LayerLayout, type LayerSpec, layersHeight, layoutLayers, type PairLayout } from './layer-layout';
import { layoutStrip, STRIP_HEIGHT, type StripMapLayout } from './strip-layout';

export interface RoomSpec {
  readonly layers: readonly LayerSpec[];
  /** Shapes of the batch and of the outputs of the layers. */
  readonly activations: readonly (readonly number[])[];
  /** Chunk tiles of the bucket that is shown; 0: no bucket. */
  readonly chunks: number;
}

export interface RoomLayout {
  readonly header: Rect;
  readonly layers: readonly LayerLayout[];
  /** Of the layers; one is shown at a time. */
  readonly pages: number;
  readonly strip: readonly StripMapLayout[];
  readonly bucket: { readonly label: Rect; readonly tiles: readonly Rect[] } | undefined;
  readonly memory: { readonly bar: Rect; readonly label: Rect };
}

const TILE = 26;
const CAPTION = 14;
const NARROWEST_TILE = 13;
const SECTION_GAP = 9;
const MEMORY = 22;
const STRIP_SHARE = 0.3;
/** Below this cell size the layers need the room that the activations would take. */
const CELL_BEFORE_STRIP = 6;

export const padding = (compact: boolean): number => (compact ? 9 : 14);
const headerHeight = (compact: boolean): number => (compact ? 35 : 38);
const headerTop = (compact: boolean): number => (compact ? 6 : 9);

/** At most `most` tiles in a line. */
function tilesOf(chunks: number, area: Rect, most = chunks): readonly Rect[] {
  if (chunks === 0) return [];
  const gap = area.width / chunks < 34 ? 3 : 5;
  const perLine = Math.min(most, Math.max(1, Math.floor((area.width + gap) / (NARROWEST_TILE + gap))));
  const lines = Math.ceil(chunks / perLine);
  const inLine = Math.ceil(chunks / lines);
  const width = (area.width - gap * (inLine - 1)) / inLine;
  return Array.from({ length: chunks }, (_, c) => ({
    x: area.x + (c % inLine) * (width + gap),
    y: area.y + Math.floor(c / inLine) * (TILE + CAPTION),
    width,
    height: TILE,
  }));
}

const tilesHeight = (tiles: readonly Rect[]): number =>
  tiles.length === 0 ? 0 : LABEL + Math.max(...tiles.map((t) => t.y)) + TILE + CAPTION + SECTION_GAP;

/** The bar with its words on the same line, or alone where there is no room for words. */
function memoryAt(line: Rect, compact: boolean): RoomLayout['memory'] {
  const words = compact || line.width < 180 ? 0 : Math.min(150, line.width * 0.5);
  const bar = { x: line.x, y: line.y + 5, width: line.width - words - (words > 0 ? 10 : 0), height: 6 };
  return { bar, label: { x: line.x + line.width - words, y: line.y, width: words, height: LABEL } };
}

/** A layer torn apart costs as much as cells smaller by this. */
const TORN = 6;
const LARGE_CELL = { layers: 12, strip: 8 };

/** How well layers and activations are to be seen; cells that are large enough gain nothing by being larger. */
function worth(
  { cell, pages, torn }: Pick<Contents, 'cell' | 'pages' | 'torn'>,
  strip: readonly StripMapLayout[],
): number {
  const first = strip[0];
  const inStrip = first ? Math.min(first.map.height / first.window.rows / first.window.unit, LARGE_CELL.strip) : 0;
  // What stands on another page is not seen.
  return (Math.min(cell, LARGE_CELL.layers) + inStrip) / Math.sqrt(pages) - (torn > 0 ? TORN : 0);
}

interface Contents {
  readonly cell: number;
  /** Of the layers; more than the area's where even the smallest cells do not fit. */
  readonly height: number;
  readonly layers: readonly LayerLayout[];
  readonly pages: number;
  readonly torn: number;
  readonly strip: readonly StripMapLayout[];
}

/**
 * The layers with the activations under or beside them, whichever lets the layers be larger; the layers alone where
 * both is too much.
 */
function layoutContents(spec: RoomSpec, area: Rect): Contents {
  const alone = layoutLayers(spec.layers, area);
  if (spec.activations.length === 0) return { ...alone, strip: [] };
  const stripHeight = Math.max(STRIP_HEIGHT, STRIP_SHARE * area.height) + SECTION_GAP;
  const over = layoutLayers(spec.layers, { ...area, height: area.height - stripHeight });
  const top = area.y + over.height + SECTION_GAP;
  const under = layoutStrip(spec.activations, { ...area, y: top, height: area.y + area.height - top });
  const left = layoutLayers(spec.layers, { ...area, width: area.width / 2 });
  const x = area.x + left.width + 2 * SECTION_GAP;
  const beside = layoutStrip(spec.activations, { ...area, x, width: area.x + area.width - x });
  const worthBeside = left.height <= area.height ? worth(left, beside) : Number.NEGATIVE_INFINITY;
  if (beside.length > 0 && worthBeside > worth(over, under)) return { ...left, strip: beside };
  if (under.length > 0 && over.cell >= CELL_BEFORE_STRIP && over.pages <= alone.pages) return { ...over, strip: under };
  const rest = layoutStrip(spec.activations, below(area, alone.height + SECTION_GAP));
  return { ...alone, strip: rest };
}

const below = (area: Rect, by: number): Rect => ({ ...area, y: area.y + by, height: area.height - by });

/** Part of the width that the chunk tiles get where they stand beside the layers. */
const TILES_BESIDE = 0.42;
const NARROWEST_BESIDE = 300;

type Bucket = NonNullable<RoomLayout['bucket']>;

function bucketAt(area: Rect, tiles: readonly Rect[]): Bucket {
  return {
    label: { x: area.x, y: area.y, width: area.width, height: LABEL },
    tiles: tiles.map((t) => ({ ...t, y: t.y + area.y + LABEL })),
  };
}

/** The layers' column and the tiles'. */
function columns(area: Rect): readonly [Rect, Rect] {
  const width = TILES_BESIDE * area.width;
  return [
    { ...area, width: area.width - width - 2 * SECTION_GAP },
    { ...area, x: area.x + area.width - width, width },
  ];
}

/** In two lines where they fit, so that each shows more of its values. */
function tilesBeside(chunks: number, column: Rect): readonly Rect[] {
  const own = { ...column, y: 0 };
  const wide = tilesOf(chunks, own, Math.ceil(chunks / 2));
  return tilesHeight(wide) <= column.height ? wide : tilesOf(chunks, own);
}

interface Arrangement extends Contents {
  readonly bucket: Bucket | undefined;
  readonly worth: number;
}

/** What overlaps its neighbours is worth nothing. */
const worthIn = (contents: Contents, available: number): number =>
  contents.height > available ? Number.NEGATIVE_INFINITY : worth(contents, contents.strip);

/**
 * The chunk tiles under the layers, as the gradients move; or beside them, where a low, wide room shows the layers
 * larger that way.
 */
function arrange(spec: RoomSpec, area: Rect): Arrangement {
  const under = (): Arrangement => {
    const tiles = tilesOf(spec.chunks, { ...area, y: 0 });
    const height = tilesHeight(tiles);
    const contents = layoutContents(spec, { ...area, height: area.height - height - SECTION_GAP });
    const bucket = height === 0 ? undefined : bucketAt({ ...area, y: area.y + area.height - height }, tiles);
    return { ...contents, bucket, worth: worthIn(contents, area.height - height - SECTION_GAP) };
  };
  const beside = (): Arrangement => {
    const [left, right] = columns(area);
    const contents = layoutContents(spec, { ...left, height: area.height - SECTION_GAP });
    const tiles = tilesBeside(spec.chunks, right);
    return { ...contents, bucket: bucketAt(right, tiles), worth: worthIn(contents, area.height - SECTION_GAP) };
  };
  const first = under();
  if (spec.chunks === 0 || area.width < NARROWEST_BESIDE) return first;
  const second = beside();
  return second.worth > first.worth ? second : first;
}

export function layoutRoom(room: Rect, spec: RoomSpec, compact: boolean): RoomLayout {
  const pad = padding(compact);
  const x = room.x + pad;
  const width = room.width - 2 * pad;
  const header = { x, y: room.y + headerTop(compact), width, height: headerHeight(compact) };
  const memoryTop = room.y + room.height - MEMORY;
  const top = header.y + header.height + 3;
  const { layers, pages, strip, bucket } = arrange(spec, { x, y: top, width, height: memoryTop - top });
  return { header, layers, pages, strip, bucket, memory: memoryAt({ x, y: memoryTop, width, height: LABEL }, compact) };
}

/** The height at which a room of that width shows its layers with cells of `cell` pixels. */
export function roomHeight(spec: RoomSpec, width: number, compact: boolean, cell: number): number {
  const area = { x: 0, y: 0, width: width - 2 * padding(compact), height: 0 };
  const layers = (within: Rect) => (spec.layers.length === 0 ? 0 : layersHeight(spec.layers, within.width, cell));
  const under = layers(area) + SECTION_GAP + tilesHeight(tilesOf(spec.chunks, area));
  const [left, right] = columns(area);
  const beside = Math.max(layers(left) + SECTION_GAP, tilesHeight(tilesBeside(spec.chunks, right)));
  const contents = spec.chunks === 0 || area.width < NARROWEST_BESIDE ? under : Math.min(under, beside);
  return headerTop(compact) + headerHeight(compact) + 3 + contents + MEMORY;
}

/** For tests: everything that is drawn in a room at once. */
export function rectsOf(layout: RoomLayout, page = 0): readonly Rect[] {
  const pair = (p: PairLayout | undefined) => (p ? [p.weight, ...(p.bias ? [p.bias] : [])] : []);
  const layers = layout.layers
    .filter((l) => l.page === page)
    .flatMap((l) => [l.label, ...pair(l.values), ...pair(l.gradients), ...(l.note ? [l.note] : [])]);
  const strip = layout.strip.map((s) => s.map);
  const tiles = layout.bucket ? [layout.bucket.label, ...layout.bucket.tiles] : [];
  return [layout.header, ...layers, ...strip, ...tiles, layout.memory.bar];
}
