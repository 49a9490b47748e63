/**
 * Rows of an image data set as bytes that a page can draw. Values from 0 to 1 are expected; other ranges of a file or
 * generator are rescaled to it.
 */
import type { Dataset } from '../../data/dataset';
import type { LabelledImage } from '../../protocol/session-info';
import { elements } from '../../tensor/shape';

export type ImageReader = (row: number, label: number) => LabelledImage;

/** The most values read to find the range. */
const SAMPLE = 1_000_000;

/** Undefined if the rows are not images. */
export function imageReader({ kind, inputs, inputShape }: Dataset): ImageReader | undefined {
  const [channels, height, width] = inputShape;
  if (kind !== 'image' || channels === undefined || height === undefined || width === undefined) return undefined;
  const size = elements(inputShape);
  let [low, high] = [0, 1];
  const end = Math.min(inputs.length, SAMPLE);
  for (let i = 0; i < end; i++) {
    const value = inputs[i] as number;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const scale = 255 / (high - low);
  return (row, label) => {
    const pixels = new Uint8Array(size);
    for (let i = 0; i < size; i++)
      pixels[i] = Math.max(0, Math.min(255, Math.round(((inputs[row * size + i] as number) - low) * scale)));
    return { row, shape: [channels, height, width], pixels, label };
  };
}
