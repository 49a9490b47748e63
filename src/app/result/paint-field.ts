/**
 * Paints the decision field (or the predicted plane) with the data over it, and the scatter plot of a regression. Draws
 * from a snapshot only; field.tsx calls it for every new snapshot.
 */
import type { DatasetPreview } from '../../protocol/session-info';
import { FIELD_SIZE, type Snapshot } from '../../protocol/snapshot';
import { linearScale, nice } from '../draw/scales';
import type { Palette } from '../draw/theme';

/** The strongest colour of the field, as a share of the scale, so that the points stand out. */
const FIELD_STRENGTH = 0.62;

/** A field value's place on the colour scale, -1 to 1; 0 for NaN. */
export function fieldShade(raw: number, isProbability: boolean): number {
  const value = FIELD_STRENGTH * (isProbability ? 2 * raw - 1 : raw);
  return Number.isFinite(value) ? Math.min(Math.max(value, -1), 1) : 0;
}

const indexOf = (shade: number) => 4 * Math.round(((shade + 1) / 2) * 255);

export function fieldImage(field: Float32Array, isProbability: boolean, palette: Palette): ImageData {
  const image = new ImageData(FIELD_SIZE, FIELD_SIZE);
  for (const [i, raw] of field.entries()) {
    const start = indexOf(fieldShade(raw, isProbability));
    image.data.set(palette.divergingRgba.subarray(start, start + 4), 4 * i);
  }
  return image;
}

export interface FieldPaint {
  readonly context: CanvasRenderingContext2D;
  readonly size: number;
  readonly palette: Palette;
  readonly dataset: DatasetPreview;
}

export function paintPoints({ context, size, palette, dataset }: FieldPaint): void {
  const radius = Math.max(2.2, size / 62);
  const place = linearScale({ from: -1, to: 1 }, { from: 0, to: size });
  const zeroOne = dataset.task === 'classification' && dataset.points.every(([, , target]) => target >= 0);
  context.lineWidth = 0.9;
  for (const [x, y, target, isTest] of dataset.points) {
    const value = zeroOne ? 2 * target - 1 : target;
    context.fillStyle = palette.diverging(value * 1.15);
    context.strokeStyle = isTest ? palette.ink : palette.card;
    context.beginPath();
    context.arc(place(x), place(-y), radius, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}

/** Paints predictions against targets; right predictions are on the diagonal. */
export function paintScatter({ context, size, palette }: FieldPaint, predictions: Snapshot['predictions']): void {
  const values = predictions.flat().filter(Number.isFinite);
  const reach = Math.max(1e-6, ...values.map(Math.abs));
  const x = linearScale(nice({ from: -reach, to: reach }), { from: 6, to: size - 6 });
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x(-reach), size - x(-reach));
  context.lineTo(x(reach), size - x(reach));
  context.stroke();
  context.fillStyle = palette.accent;
  context.globalAlpha = 0.65;
  for (const [target, predicted] of predictions) {
    context.beginPath();
    context.arc(x(target), size - x(predicted), 2.2, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
}

/** Paints the whole result; `small`: a canvas of the field's own size, on which the field is painted first. */
export function paintResult(paint: FieldPaint, snapshot: Snapshot | undefined, small: HTMLCanvasElement): void {
  const { context, size, palette, dataset } = paint;
  if (snapshot?.field) {
    const image = fieldImage(snapshot.field, dataset.task === 'classification', palette);
    small.getContext('2d')?.putImageData(image, 0, 0);
    context.drawImage(small, 0, 0, size, size);
  }
  if (dataset.points.length > 0) paintPoints(paint);
  else if (snapshot) paintScatter(paint, snapshot.predictions);
}
