/**
 * The strip of activations in a room: the device's batch and the output of each of its layers, one row per sample, in
 * reading order. It takes the height that the layers leave and is not there where that is too little. Pure; called by
 * room-layout.ts.
 */
import type { Rect } from '../draw/geometry';
import { LABEL } from './layer-layout';
import { activationWindow, type MatrixWindow } from './matrix-window';

export interface StripMapLayout {
  readonly label: Rect;
  readonly map: Rect;
  readonly window: MatrixWindow;
}

const GAP = 12;
const CELLS = [14, 12, 10, 9, 8, 7, 6, 5, 4];
const NARROWEST_LABEL = 12;

/** The least height that is worth a strip. */
export const STRIP_HEIGHT = LABEL + 4 * 6;

function widths(windows: readonly MatrixWindow[], cell: number): readonly number[] {
  return windows.map((w) => Math.max(NARROWEST_LABEL, w.columns * w.unit * cell));
}

interface Fit {
  readonly cell: number;
  readonly crop: number;
}

/** Rather more samples in small cells than few in large ones, down to the smallest cells that can be told apart. */
const FITS: readonly Fit[] = [
  ...[16, 12, 8].flatMap((crop) => CELLS.filter((c) => c >= 6).map((cell) => ({ cell, crop }))),
  ...[8, 6, 4].flatMap((crop) => CELLS.map((cell) => ({ cell, crop }))),
];

export function layoutStrip(shapes: readonly (readonly number[])[], area: Rect): readonly StripMapLayout[] {
  if (shapes.length === 0) return [];
  for (const { cell, crop } of FITS) {
    const windows = shapes.map((shape) => activationWindow(shape, crop));
    const wide = widths(windows, cell);
    const width = wide.reduce((a, b) => a + b, 0) + GAP * (shapes.length - 1);
    const rows = Math.max(...windows.map((w) => w.rows * w.unit));
    if (width > area.width || LABEL + rows * cell > area.height) continue;
    const gap = shapes.length < 2 ? 0 : Math.min(2 * GAP, GAP + (area.width - width) / (shapes.length - 1));
    let x = area.x;
    return windows.map((window, i) => {
      const own = wide[i] ?? 0;
      const map = {
        x,
        y: area.y + LABEL,
        width: window.columns * window.unit * cell,
        height: window.rows * window.unit * cell,
      };
      const label = { x, y: area.y, width: own + gap * 0.45, height: LABEL };
      x += own + gap;
      return { label, map, window };
    });
  }
  return [];
}
