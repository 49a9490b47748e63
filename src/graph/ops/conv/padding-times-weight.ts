/**
 * Zero times a NaN or infinite weight is NaN. PyTorch's conv2d and the kernels in shaders/conv multiply the zeros of
 * the padding, while the CPU loops skip them. If such a weight meets the padding, this code writes the NaN after those
 * loops; otherwise it costs one scan of the weights. Called by conv2d's CPU kernel.
 */
import type { HostArray } from '../../../tensor/shape';
import type { ConvGeometry } from './geometry';

export function padWithNan(g: ConvGeometry, w: HostArray, y: HostArray): void {
  if (w.every(Number.isFinite)) return;
  const window = g.kernelHeight * g.kernelWidth;
  const area = g.outHeight * g.outWidth;
  const outside = (at: number, size: number): boolean => at < 0 || at >= size;
  for (let o = 0; o < g.groups * g.outChannels; o++) {
    const start = o * g.inChannels * window;
    for (let tap = 0; tap < window; tap++) {
      let finite = true;
      for (let c = 0; c < g.inChannels; c++) finite &&= Number.isFinite(w[start + c * window + tap]);
      if (finite) continue;
      const down = Math.floor(tap / g.kernelWidth) * g.dilationY - g.padY;
      const right = (tap % g.kernelWidth) * g.dilationX - g.padX;
      for (let n = 0; n < g.batch; n++) {
        for (let p = 0; p < area; p++) {
          const row = Math.floor(p / g.outWidth) * g.strideY + down;
          const column = (p % g.outWidth) * g.strideX + right;
          if (outside(row, g.height) || outside(column, g.width))
            y[(n * g.groups * g.outChannels + o) * area + p] = Number.NaN;
        }
      }
    }
  }
}
