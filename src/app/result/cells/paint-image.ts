/**
 * An image of the data as a bitmap of the same size: gray from the page's background (0) to its ink (1), so that white
 * on black looks like ink on paper; images of three channels in their own colours. It is enlarged without smoothing,
 * because the model reads these pixels.
 */
import { hexRgb } from '../../draw/scales';
import type { Palette } from '../../draw/theme';

type Shape = readonly [channels: number, height: number, width: number];

/** `value(i)`: element i of [channels, height, width], 0..1. */
export function imageBitmap(
  [channels, height, width]: Shape,
  value: (i: number) => number,
  palette: Palette,
): ImageData {
  const image = new ImageData(width, height);
  const plane = height * width;
  const [ground, ink] = [hexRgb(palette.card), hexRgb(palette.ink)];
  for (let i = 0; i < plane; i++) {
    for (let c = 0; c < 3; c++) {
      const [from, to] = [ground[c] ?? 0, ink[c] ?? 0];
      image.data[4 * i + c] = channels >= 3 ? 255 * value(c * plane + i) : from + value(i) * (to - from);
    }
    image.data[4 * i + 3] = 255;
  }
  return image;
}

/** Draws the image into a square of the context, centred. */
export function paintBitmap(context: CanvasRenderingContext2D, image: ImageData, side: number): void {
  const small = new OffscreenCanvas(image.width, image.height);
  small.getContext('2d')?.putImageData(image, 0, 0);
  const scale = side / Math.max(image.width, image.height);
  const [width, height] = [image.width * scale, image.height * scale];
  context.imageSmoothingEnabled = false;
  context.drawImage(small, (side - width) / 2, (side - height) / 2, width, height);
}
