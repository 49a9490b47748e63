/**
 * The layout of the timeline: names on the left, per device a compute lane above a communication lane, at the top the
 * small picture of the whole step and the axis. Rows get lower as the number of devices grows, down to a size that can
 * be pointed at; then the panel scrolls. Pure; called by the scene.
 */
import { at } from '../../base/invariant';
import type { Rect } from '../draw/geometry';
import { frameOf, HEAD, type LanesFrame } from '../lanes/lanes';

export interface DeviceRow {
  readonly device: number;
  readonly name: Rect;
  /** The background of both lanes, with a margin. */
  readonly ground: Rect;
  readonly compute: Rect;
  readonly comm: Rect;
}

export interface TimelineLayout extends LanesFrame {
  readonly rows: readonly DeviceRow[];
}

interface RowSize {
  readonly compute: number;
  readonly comm: number;
  readonly gap: number;
}

/** Row sizes, largest first: with labels in both lanes, with only the numbers of rounds, with only colours. */
const SIZES: readonly RowSize[] = [
  { compute: 22, comm: 17, gap: 10 },
  { compute: 18, comm: 14, gap: 7 },
  { compute: 15, comm: 13, gap: 4 },
  { compute: 12, comm: 12, gap: 2 },
  { compute: 8, comm: 12, gap: 1 },
  { compute: 8, comm: 8, gap: 1 },
  { compute: 8, comm: 6, gap: 1 },
];
const AIR = 3;

const innerOf = (size: RowSize, traffic: boolean): number => size.compute + (traffic ? size.comm + 2 : 0);
const pitchOf = (size: RowSize, traffic: boolean): number => innerOf(size, traffic) + AIR + size.gap;
const heightOf = (size: RowSize, devices: number, traffic: boolean): number =>
  HEAD + devices * pitchOf(size, traffic) + 4;

function rowSize(devices: number, traffic: boolean, room: number | undefined): RowSize {
  const usual = devices <= 2 ? 0 : devices <= 4 ? 1 : devices <= 8 ? 3 : 5;
  const fitting = SIZES.slice(devices <= 2 ? 0 : 1).find((size) => heightOf(size, devices, traffic) <= (room ?? 0));
  // If the lanes scroll anyway, rows keep a size that can be pointed at.
  return at(SIZES, room === undefined ? usual : fitting ? SIZES.indexOf(fitting) : SIZES.length - 2);
}

/**
 * `traffic`: whether the step communicates; if not, there is no communication lane. `room`: the available height, if
 * the page fixes it.
 */
export function layoutTimeline(width: number, devices: number, traffic: boolean, room?: number): TimelineLayout {
  const { margin, names, ...frame } = frameOf(width);
  const { left, right } = frame;
  const size = rowSize(devices, traffic, room);
  const inner = innerOf(size, traffic);
  const pitch = pitchOf(size, traffic);
  const rows = Array.from({ length: devices }, (_, device): DeviceRow => {
    const y = HEAD + device * pitch;
    return {
      device,
      name: { x: margin, y, width: names, height: inner + AIR },
      ground: { x: left, y, width: right - left, height: inner + AIR },
      compute: { x: left, y: y + 1, width: right - left, height: size.compute },
      comm: { x: left, y: y + size.compute + 3, width: right - left, height: traffic ? size.comm - 1 : 0 },
    };
  });
  return { ...frame, height: heightOf(size, devices, traffic), rows };
}
