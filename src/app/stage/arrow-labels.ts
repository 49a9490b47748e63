/**
 * The arrows of a moment and the places of their labels: beside the arrow's road, clear of rooms and packets. If
 * several arrows from one device, or to one, have equal labels, only one arrow has the label, with "each"; the same if
 * many arrows of the moment share a text. An arrow without a free place has no label. Pure; called by the scene.
 */
import { bufferWords } from '../../trace/buffer-words';
import type { Packet } from '../../trace/packets';
import { formatSize } from '../draw/format';
import { grow, overlaps, type Path, type Point, type Rect, type Size } from '../draw/geometry';
import { longestPiece } from './packet-scene';
import type { ArrowLabel, ArrowScene } from './scene-types';

/** An arrow for a transfer, and the size of the packet on it. */
export interface ArrowInput {
  readonly packet: Packet;
  readonly path: Path;
  readonly box: Size;
}

/** The height of a label's text above and below the baseline. */
const ASCENT = 9.5;
const DESCENT = 2.5;
const LETTER = 6.6;
/** The distance between a label and the packet that flies past it. */
const CLEAR = 2.5;
/** How far from the middle of a piece of road a label may be, as a share of the piece's length. */
const SHIFTS = [0, -0.14, 0.14, -0.26, 0.26, -0.36, 0.36, -0.46, 0.46];

export const labelRect = ({ x, y, width }: ArrowLabel): Rect => ({
  x: x - width / 2,
  y: y - ASCENT,
  width,
  height: ASCENT + DESCENT,
});

export function packetLabel({ source, collective, bytes, microBatch }: Packet): string {
  if (microBatch !== undefined && !collective) return `micro-batch ${microBatch} · ${formatSize(bytes)}`;
  const chunk = collective?.chunk;
  const what = chunk === undefined || (collective?.chunks ?? 1) < 2 ? bufferWords(source.buffer) : `chunk ${chunk}`;
  return `${what} · ${formatSize(bytes)}`;
}

/** The label's texts, longest first. In a pipeline the number of the micro-batch tells packets apart. */
function textsOf(packet: Packet, compact: boolean): readonly string[] {
  const bytes = formatSize(packet.bytes);
  const { microBatch } = packet;
  const short = microBatch === undefined ? [bytes] : [`${microBatch} · ${bytes}`, String(microBatch)];
  return packet.collective === undefined && !compact ? [packetLabel(packet), ...short] : short;
}

/** The rectangles that a packet flies over on its way. */
export function sweptBy({ path, box }: Pick<ArrowInput, 'path' | 'box'>): readonly Rect[] {
  return path.slice(1).flatMap((b, i): Rect[] => {
    const a = path[i];
    if (!a) return [];
    const corner = { x: Math.min(a.x, b.x) - box.width / 2, y: Math.min(a.y, b.y) - box.height / 2 };
    return [{ ...corner, width: Math.abs(a.x - b.x) + box.width, height: Math.abs(a.y - b.y) + box.height }];
  });
}

/** Places for a label beside the longest piece of the road, clear of the packet that flies there. */
function beside({ path, box }: ArrowInput, width: number): readonly Point[] {
  const [a, b] = longestPiece(path);
  const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  const level = Math.abs(b.x - a.x) > Math.abs(b.y - a.y);
  return SHIFTS.flatMap((by) => {
    const at = { x: middle.x + by * (b.x - a.x), y: middle.y + by * (b.y - a.y) };
    if (level)
      return [
        { x: at.x, y: at.y - box.height / 2 - CLEAR - DESCENT },
        { x: at.x, y: at.y + box.height / 2 + CLEAR + ASCENT },
      ];
    const aside = box.width / 2 + CLEAR + width / 2;
    return [
      { x: at.x + aside, y: at.y + 4 },
      { x: at.x - aside, y: at.y + 4 },
    ];
  });
}

/** If more arrows than this have the same text, one of them shows it, with 'each'. */
const MOST_EQUAL = 8;

/** The text that more than MOST_EQUAL arrows share. */
function commonText(arrows: readonly ArrowInput[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { packet } of arrows) {
    const text = textsOf(packet, true)[0] ?? '';
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].find(([, count]) => count > MOST_EQUAL)?.[0];
}

interface Place extends Size {
  readonly compact: boolean;
  readonly rooms: readonly Rect[];
}

export function placeArrows(arrows: readonly ArrowInput[], stage: Place): readonly ArrowScene[] {
  const placed: Rect[] = [];
  const taken = [...stage.rooms, ...arrows.flatMap(sweptBy)];
  const isFree = (rect: Rect): boolean =>
    rect.x >= 0 &&
    rect.y >= 0 &&
    rect.x + rect.width <= stage.width &&
    rect.y + rect.height <= stage.height &&
    ![...placed, ...taken].some((other) => overlaps(other, rect));
  const find = (arrow: ArrowInput, texts: readonly string[]): ArrowLabel | undefined => {
    for (const text of texts) {
      const width = text.length * LETTER;
      for (const at of beside(arrow, width)) {
        const label = { text, ...at, width };
        if (isFree(labelRect(label))) return label;
      }
    }
    return undefined;
  };
  /** Keys of the fans (arrows with one text from one device, or to one) that the arrow is part of. */
  const fansOf = ({ packet }: ArrowInput): readonly string[] => {
    const text = textsOf(packet, true)[0] ?? '';
    const of = (end: 'from' | 'to') =>
      arrows.filter((o) => o.packet[end] === packet[end] && textsOf(o.packet, true)[0] === text).length > 1;
    return [...(of('from') ? [`from ${packet.from} ${text}`] : []), ...(of('to') ? [`to ${packet.to} ${text}`] : [])];
  };
  const said = new Set<string>();
  const common = commonText(arrows);
  let saidCommon = false;
  return arrows.map((arrow) => {
    const { path, packet } = arrow;
    const fans = fansOf(arrow);
    if (fans.some((fan) => said.has(fan))) return { path, from: packet.from, label: undefined };
    const isCommon = common !== undefined && textsOf(packet, true)[0] === common;
    const own = textsOf(packet, stage.compact || fans.length > 0 || isCommon);
    if (isCommon && saidCommon) return { path, from: packet.from, label: undefined };
    const label = find(arrow, fans.length > 0 || isCommon ? own.map((text) => `${text} each`) : own);
    if (label) {
      saidCommon ||= isCommon;
      placed.push(grow(labelRect(label), 2));
      for (const fan of fans) said.add(fan);
    }
    return { path, from: packet.from, label };
  });
}
