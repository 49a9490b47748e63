/** One image of the data, enlarged without smoothing; the words beside it describe it. */
import { useCallback, useRef } from 'react';
import type { LabelledImage } from '../../../protocol/session-info';
import { usePalette } from '../../draw/canvas-context';
import { imageBitmap, paintBitmap } from '../cells/paint-image';
import { usePainting } from '../cells/use-painting';

export function ImageCanvas({ image: { shape, pixels }, side }: { image: LabelledImage; side: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const paint = useCallback(
    (context: CanvasRenderingContext2D) =>
      paintBitmap(
        context,
        imageBitmap(shape, (i) => (pixels[i] ?? 0) / 255, palette),
        side,
      ),
    [shape, pixels, side, palette],
  );
  const size = { width: side, height: side };
  usePainting(canvas, size, paint);
  return <canvas ref={canvas} style={size} />;
}
