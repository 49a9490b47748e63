/**
 * How a tensor is placed on the devices of a group, with the names of torch.distributed.tensor. A placement applies to
 * one axis of the mesh; piece.ts computes the pieces. Pure data: this file knows no devices and moves nothing.
 */

/** Every device of the group has the whole. */
export interface Replicate {
  readonly kind: 'replicate';
}

/**
 * Dimension `dim` is cut into one part per device, as by torch.chunk: ceil(n / count) each, the last parts smaller or
 * empty. With `splitFactor` (torch's _StridedShard) the dimension is first cut into that many blocks and every device
 * gets its part of each: the packed rows q, k, v of an attention layer are three blocks.
 */
export interface Shard {
  readonly kind: 'shard';
  readonly dim: number;
  readonly splitFactor: number;
}

/** Every device has an addend of full shape; the value is their sum. */
export interface Partial {
  readonly kind: 'partial';
}

/** A run of the elements in row-major order: a flat parameter's part of one of its tensors. */
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
