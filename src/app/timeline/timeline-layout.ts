/**
 * Where the lanes of the timeline lie: names on the left, per device a compute lane over a communication lane, an axis
 * on top. Rows grow lower as devices grow more. Pure; called by the scene.
 */
import type { Rect, Size } from '../draw/geometry';

export interface DeviceRow {
  readonly device: number;
  readonly name: Rect;
  /** Both lanes and a little air: the ground they lie on. */
  readonly ground: Rect;
  readonly compute: Rect;
  readonly comm: Rect;
}

export interface TimelineLayout extends Size {
  readonly axis: Rect;
  /** What is drawn over time lies between these. */
  readonly left: number;
  readonly right: number;
  readonly rows: readonly DeviceRow[];
}

const AXIS = 24;
const NARROW = 560;
const MARGIN = 20;
const MARGIN_NARROW = 10;

interface RowSize {
  readonly compute: number;
  readonly comm: number;
  readonly gap: number;
}

function rowSize(devices: number): RowSize {
  if (devices <= 2) return { compute: 22, comm: 17, gap: 10 };
  if (devices <= 4) return { compute: 18, comm: 14, gap: 7 };
  return { compute: 13, comm: 8, gap: 3 };
}

/** `traffic`: whether anything is communicated; without it there is no communication lane. */
export function layoutTimeline(width: number, devices: number, traffic: boolean): TimelineLayout {
  const narrow = width < NARROW;
  const margin = narrow ? MARGIN_NARROW : MARGIN;
  const names = narrow ? 48 : 72;
  const left = margin + names;
  const right = Math.max(left + 20, width - margin);
  const size = rowSize(devices);
  const inner = size.compute + (traffic ? size.comm + 2 : 0);
  const pitch = inner + 3 + size.gap;
  const rows = Array.from({ length: devices }, (_, device): DeviceRow => {
    const y = AXIS + device * pitch;
    return {
      device,
      name: { x: margin, y, width: names, height: inner + 3 },
      ground: { x: left, y, width: right - left, height: inner + 3 },
      compute: { x: left, y: y + 1, width: right - left, height: size.compute },
      comm: { x: left, y: y + size.compute + 3, width: right - left, height: traffic ? size.comm - 1 : 0 },
    };
  });
  return {
    width,
    height: AXIS + devices * pitch + 4,
    axis: { x: left, y: 0, width: right - left, height: AXIS },
    left,
    right,
    rows,
  };
}
