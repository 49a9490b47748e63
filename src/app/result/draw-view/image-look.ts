/**
 * How the images of a data set look, measured on a few of them: how much of the picture a figure fills, where its
 * centre is, how bright its ink is. A drawing gets the same look before the model sees it, because a net knows only
 * images like its data.
 */
import type { LabelledImage } from '../../../protocol/session-info';

export interface ImageLook {
  /** The longer side of the figure, edge to edge of its ink, over the shorter side of the image. */
  readonly extent: number;
  /** The brightness of the ink, 0..1. */
  readonly brightness: number;
  /** Radius of the pen in pixels. */
  readonly pen: number;
  /** Whether figures are filled instead of written: the inside of a stroke is ink, too. */
  readonly filled: boolean;
}

/** Pixels from this share of the brightest pixel on count as ink; less is noise. */
const INK_FROM = 0.5;
const DEFAULT_EXTENT = 0.72;
/** The pen of our digits, about the same as MNIST's, as a share of the image. */
const PEN = 0.0425;
const LEAST_PEN = 0.5;

export function imageLook(images: readonly LabelledImage[], side: number, filled: boolean): ImageLook {
  const measured = images.map(measure).filter((m) => m !== undefined);
  return {
    extent: median(measured.map(({ extent }) => extent)) ?? DEFAULT_EXTENT,
    brightness: median(measured.map(({ brightest }) => brightest)) ?? 1,
    pen: Math.max(LEAST_PEN, PEN * side),
    filled,
  };
}

function measure({
  shape: [, height, width],
  pixels,
}: LabelledImage): { extent: number; brightest: number } | undefined {
  const plane = pixels.subarray(0, height * width);
  const brightest = plane.reduce((most, value) => Math.max(most, value), 0);
  if (brightest === 0) return undefined;
  const box = { left: width, right: -1, top: height, bottom: -1 };
  plane.forEach((value, i) => {
    if (value < INK_FROM * brightest) return;
    const [x, y] = [i % width, Math.floor(i / width)];
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  });
  const longer = Math.max(box.right - box.left, box.bottom - box.top) + 1;
  return { extent: Math.min(1, longer / Math.min(height, width)), brightest: brightest / 255 };
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
