/**
 * Draws the dropout masks of a batch, in the order in which the ranks need them. As in torch, each rank draws the masks
 * of its own activations. Ranks of a tensor group begin with the same seed: as long as they draw equally many numbers,
 * they have the same mask for a whole activation, and the same numbers for their parts of a divided one. Called by
 * batch-source.ts.
 */
import type { TensorRegion } from '../sharding/piece';
import { dropoutMask } from '../tensor/distributions';
import type { Generator } from '../tensor/generator';
import type { HalfFormat } from '../tensor/half-bits';
import { HALF_BITS } from '../tensor/half-bits-part';

/** A mask that is drawn with a batch: `elements` values, 0 with probability `p`, else 1 / (1 - p). */
export interface MaskDraw {
  /** The data index whose generator draws the mask, if the devices have none of their own. */
  readonly dataIndex: number;
  readonly device: number;
  readonly buffer: string;
  /** The micro-batch to which the mask applies. */
  readonly microBatch: number;
  readonly elements: number;
  readonly p: number;
  /** The layer rounds the mask to this format; absent: float32. */
  readonly half?: HalfFormat;
  /** The device's piece of the mask of a whole activation; absent: the mask is of all of it. */
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

export const drawMasks = (
  draws: readonly MaskDraw[],
  generatorOf: (draw: MaskDraw) => Generator,
): readonly DrawnMask[] =>
  draws.map((draw) => {
    const { dataIndex, device, buffer, microBatch, p, half, region } = draw;
    const data = dropoutMask(generatorOf(draw), draw.elements, p);
    if (half) HALF_BITS.get().roundTo(half, data);
    return { device, buffer, microBatch, data, ...(region ? { region: { ...region, dataIndex } } : {}) };
  });
