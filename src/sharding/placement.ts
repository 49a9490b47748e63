/**
 * How a tensor lies over the devices of a group, under the names of torch.distributed.tensor. A placement says what to
 * do at one axis of the mesh; piece.ts applies it. Pure data: nothing here knows devices or moves anything.
 */

/** Every device of the group has the whole. */
export interface Replicate {
  readonly kind: 'replicate';
}

/**
 * Dimension `dim` is cut into one part per device, as torch.chunk cuts it: ceil(n / count) each, the last ones fewer or
 * none. With `splitFactor` (torch's _StridedShard) the dimension is first cut into that many blocks and every device
 * gets its part of each: the packed rows q, k, v of an attention layer are three blocks.
 */
export interface Shard {
  readonly kind: 'shard';
  readonly dim: number;
  readonly splitFactor: number;
}

/** Every device has an addend of the whole shape; the value is their sum. */
export interface Partial {
  readonly kind: 'partial';
}

/** Of the elements in row-major order, a run: how a flat parameter of several tensors meets one of them. */
export interface Flat {
  readonly kind: 'flat';
  readonly offset: number;
  readonly length: number;
}

export type Placement = Replicate | Shard | Partial | Flat;

export const REPLICATE: Replicate = { kind: 'replicate' };
export const PARTIAL: Partial = { kind: 'partial' };
export const shard = (dim: number, splitFactor = 1): Shard => ({ kind: 'shard', dim, splitFactor });
export const flat = (offset: number, length: number): Flat => ({ kind: 'flat', offset, length });
