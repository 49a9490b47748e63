/**
 * Coalesces tensors as torch does: tensors of one type are flattened into pieces, and each piece is one message.
 * broadcast_coalesced (take_tensors of csrc/utils/tensor_flatten.cpp) closes a piece once it has reached the limit, so
 * a piece may exceed the limit; reduce_add_coalesced (_take_tensors of torch/_utils.py) closes a piece before it would
 * exceed the limit. A piece of one tensor is that tensor: nothing is flattened. Called by data-parallel/.
 */
import type { LaneBuilder, Where } from '../../program/lane-builder';
import type { DType } from '../../tensor/shape';
import { elements, tensorBytes } from '../../tensor/shape';

/** buffer_size of torch/nn/parallel/comm.py. */
export const COALESCED_BYTES = 10 * 1024 * 1024;

/** When a piece is closed: after the tensor that reaches the limit, or before the one that would exceed it. */
export type Closes = 'after' | 'before';

export interface CoalescedTensor {
  readonly name: string;
  readonly bytes: number;
  readonly dtype: DType;
}

/** Names of the tensors of each piece, in order. */
export function piecesOf(
  tensors: readonly CoalescedTensor[],
  closes: Closes,
  limit = COALESCED_BYTES,
): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  const open = new Map<DType, { names: string[]; bytes: number }>();
  const close = (dtype: DType): void => {
    const group = open.get(dtype);
    if (group) pieces.push(group.names);
    open.delete(dtype);
  };
  for (const { name, bytes, dtype } of tensors) {
    if (closes === 'before' && (open.get(dtype)?.bytes ?? 0) + bytes > limit) close(dtype);
    const group = open.get(dtype) ?? { names: [], bytes: 0 };
    group.names.push(name);
    group.bytes += bytes;
    open.set(dtype, group);
    if (closes === 'after' && group.bytes >= limit) close(dtype);
  }
  for (const dtype of [...open.keys()]) close(dtype);
  return pieces;
}

/** The named buffers of a lane as tensors. */
export const tensorsOf = (lane: LaneBuilder, names: readonly string[]): readonly CoalescedTensor[] =>
  names.map((name) => {
    const { shape, dtype } = lane.spec(name);
    return { name, bytes: tensorBytes({ shape, dtype }), dtype };
  });

/** Declares the flat buffer of a piece and returns its name; for a piece of one tensor, returns the tensor's name. */
export function declarePiece(lane: LaneBuilder, piece: readonly string[], flat: string): string {
  const [first = ''] = piece;
  if (piece.length === 1) return first;
  const length = piece.reduce((n, name) => n + elements(lane.spec(name).shape), 0);
  const { dtype } = lane.spec(first);
  lane.buffer({ name: flat, shape: [length], dtype, category: 'communication', persistent: false });
  return flat;
}

/** Copies the tensors into the flat buffer, if the piece has one. */
export function flattenPiece(lane: LaneBuilder, piece: readonly string[], flat: string, where: Where): void {
  if (piece.length > 1) lane.compute('comm/flatten', piece, [flat], {}, where);
}

/** Copies the tensors out of the flat buffer, if the piece has one. PyTorch takes views of the buffer. */
export function unflattenPiece(lane: LaneBuilder, piece: readonly string[], flat: string, where: Where): void {
  if (piece.length > 1) lane.compute('comm/unflatten', [flat], piece, { view: true }, where);
}
