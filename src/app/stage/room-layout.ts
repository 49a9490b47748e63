/**
 * Lays out a room: its title, its current work, the body whose content changes with the moment, and the memory bar. The
 * level of detail depends only on the room's size: 'whole' with all words, 'compact' with a title of one line, 'glyph'
 * with little more than colours. Works for any size. Pure; the scene fills the layout.
 */
import { bottom, type Rect } from '../draw/geometry';

export type RoomLevel = 'whole' | 'compact' | 'glyph';

export interface RoomFrame {
  readonly level: RoomLevel;
  /** The title, and beside it the device's current work. */
  readonly header: Rect;
  /** The device's samples; in a glyph, its current work. */
  readonly subtitle: Rect | undefined;
  readonly body: Rect;
  readonly memory: { readonly bar: Rect; readonly label: Rect | undefined } | undefined;
}

const WHOLE = { width: 150, height: 215 };
const COMPACT = { width: 88, height: 92 };
const TITLE = 20;

export function levelOf({ width, height }: Rect): RoomLevel {
  if (width >= WHOLE.width && height >= WHOLE.height) return 'whole';
  return width >= COMPACT.width && height >= COMPACT.height ? 'compact' : 'glyph';
}

const WORDED_GLYPH = 120;
const PADDING = { whole: 14, compact: 10, glyph: 6 };
const TOP = { whole: 9, compact: 5, glyph: 3 };

/** A room lower than this has only its number at the left, and the content beside it. */
const BESIDE = { below: 34, number: 19 };

function frameLowRoom(room: Rect): RoomFrame {
  const { number } = BESIDE;
  const x = room.x + PADDING.glyph;
  const width = room.width - PADDING.glyph - 4;
  const header = { x, y: room.y + Math.max(0, (room.height - 15) / 2), width: Math.min(width, number), height: 15 };
  const body = { x: x + number, y: room.y + 3, width: Math.max(0, width - number), height: room.height - 6 };
  return { level: 'glyph', header, subtitle: undefined, body, memory: undefined };
}

export function frameRoom(room: Rect): RoomFrame {
  const level = levelOf(room);
  if (level === 'glyph' && room.height < BESIDE.below) return frameLowRoom(room);
  const x = room.x + PADDING[level];
  const width = room.width - 2 * PADDING[level];
  const header = { x, y: room.y + TOP[level], width, height: level === 'glyph' ? 15 : TITLE };
  // A glyph that is high enough shows the device's work below its title.
  const line = level === 'whole' ? 17 : level === 'glyph' && room.height >= WORDED_GLYPH && width >= 60 ? 14 : 0;
  const subtitle = line > 0 ? { x, y: bottom(header), width, height: line } : undefined;
  const top = bottom(subtitle ?? header) + (level === 'glyph' ? 1 : 4);
  const memory = memoryAt({ x, y: bottom(room), width, height: 0 }, level, room.height);
  const low = memory ? memory.bar.y - 8 : bottom(room) - PADDING[level] / 2 - 2;
  return { level, header, subtitle, body: { x, y: top, width, height: Math.max(0, low - top) }, memory };
}

/** The memory bar with its words on the same line, or alone if words do not fit. */
function memoryAt(floor: Rect, level: RoomLevel, height: number): RoomFrame['memory'] {
  if (level === 'glyph' || height < 110) return undefined;
  const words = level === 'whole' && floor.width >= 180 ? Math.min(150, floor.width * 0.5) : 0;
  const y = floor.y - (level === 'whole' ? 17 : 11);
  const bar = { x: floor.x, y, width: floor.width - words - (words > 0 ? 10 : 0), height: level === 'whole' ? 6 : 5 };
  return {
    bar,
    label: words === 0 ? undefined : { x: floor.x + floor.width - words, y: y - 5, width: words, height: 16 },
  };
}

export interface BodyNeeds {
  /** Whether the weights are only a thin strip. */
  readonly strip: boolean;
  /** Whether all layers are shown small below the computing one; else they are a strip. */
  readonly layers: boolean;
  /** Whether a bucket's chunks are shown small below the layers. */
  readonly wire: boolean;
  /** Whether there are tabs, one for each bucket. */
  readonly tabs: boolean;
}

export interface BodyLayout {
  readonly strip: Rect | undefined;
  readonly main: Rect;
  readonly layers: Rect | undefined;
  readonly wire: Rect | undefined;
  readonly wireLabel: Rect | undefined;
  readonly tabs: Rect | undefined;
}

const STRIP = 6;
const LAYERS = 60;
const TABS = 18;
/** From this height on, the main content leaves space for the layers below it. */
const SPARE = 250;

export function divideBody(body: Rect, level: RoomLevel, needs: BodyNeeds): BodyLayout {
  const { x, width } = body;
  let y = body.y;
  let low = bottom(body);
  const fromBottom = (height: number, gap: number): Rect => {
    low -= height + gap;
    return { x, y: low + gap, width, height };
  };
  const rich = level === 'whole';
  // A glyph keeps its few pixels for the current work.
  const wireHeight = rich && body.height >= 200 ? 64 : level === 'glyph' ? 0 : body.height >= 90 ? 30 : 0;
  const under = needs.wire && wireHeight > 0 ? fromBottom(wireHeight, 6) : undefined;
  const labelled = wireHeight > 40 ? 17 : 0;
  const wire = under && { ...under, y: under.y + labelled, height: under.height - labelled };
  const wireLabel = under && labelled > 0 ? { ...under, height: labelled } : undefined;
  const layers = needs.layers && rich && low - y >= SPARE ? fromBottom(LAYERS, 8) : undefined;
  const strip =
    (needs.strip || (needs.layers && !layers)) && level !== 'glyph' ? { x, y, width, height: STRIP } : undefined;
  if (strip) y += STRIP + (rich ? 8 : 5);
  const tabs = needs.tabs && rich && low - y >= 160 ? { x, y, width, height: TABS } : undefined;
  if (tabs) y += TABS + 6;
  return { strip, main: { x, y, width, height: Math.max(0, low - y) }, layers, wire, wireLabel, tabs };
}
