/**
 * Draws the dropout masks of a batch, in the order in which the ranks need them. A mask with a region is drawn once for
 * all ranks of a data index, and each rank takes its piece. So, as with torch's DTensor, ranks with the same piece have
 * the same mask, ranks with different pieces have different masks, and all pieces together are the mask that one device
 * would draw. Called by batch-source.ts.
 */
import type { TensorRegion } from '../sharding/piece';
import { slice } from '../sharding/slice';
import { dropoutMask } from '../tensor/distributions';
import type { Generator } from '../tensor/generator';
import { elements } from '../tensor/shape';

/** A mask that is drawn with a batch: `elements` values, 0 with probability `p`, else 1 / (1 - p). */
export interface MaskDraw {
  /** The data index whose generator draws the mask. */
  readonly dataIndex: number;
  readonly device: number;
  readonly buffer: string;
  /** The micro-batch to which the mask applies. */
  readonly microBatch: number;
  readonly elements: number;
  readonly p: number;
  /** Shared with other devices of the data index; absent: the device draws for itself. */
  readonly region?: TensorRegion;
}

export interface DrawnMask {
  readonly device: number;
  readonly buffer: string;
  readonly microBatch: number;
  readonly data: Float32Array<ArrayBuffer>;
  /** If `data` is a piece: the region of the whole mask, and the data index. */
  readonly region?: TensorRegion & { readonly dataIndex: number };
}

export function drawMasks(
  draws: readonly MaskDraw[],
  generatorOf: (draw: MaskDraw) => Generator,
): readonly DrawnMask[] {
  const wholes = new Map<string, Float32Array<ArrayBuffer>>();
  return draws.map((draw) => {
    const { dataIndex, device, buffer, microBatch, p, region } = draw;
    const mask = { device, buffer, microBatch };
    if (!region) return { ...mask, data: dropoutMask(generatorOf(draw), draw.elements, p) };
    const key = `${dataIndex} ${microBatch} ${buffer}`;
    const whole = wholes.get(key) ?? dropoutMask(generatorOf(draw), elements(region.shape), p);
    wholes.set(key, whole);
    return { ...mask, data: slice(whole, region.shape, region.piece), region: { ...region, dataIndex } };
  });
}
