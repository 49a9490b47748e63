/**
 * What a collective does within the memory of a rank, beside its messages: pre-divides for avg as NCCL does, copies the
 * rank's own block, declares memory for partial results. Called by recipe.ts and by the algorithms.
 */
import { at, must } from '../base/invariant';
import type { LaneBuilder } from '../program/lane-builder';
import type { Rank, Slice } from '../protocol/trace';
import type { DType } from '../tensor/shape';
import type { CollectiveCall, NumberedCall } from './collective';

/** The lane of a rank of the group. */
export const laneOf = ({ builder, group }: NumberedCall, rank: Rank): LaneBuilder =>
  builder.lane(builder.deviceOf(at(group.ranks, rank)));

/** Of the input; scatter's lies on the root alone. */
export const dtypeOf = ({ builder, group, input, root = 0 }: CollectiveCall): DType =>
  at(builder.lanesOf(group), root).spec(input).dtype;

/** Keeps names of buffers of several groups on one device apart. */
export const suffixOf = ({ builder, group }: NumberedCall): string =>
  group.id === builder.mesh.world.id ? '' : `.group${group.id}.`;

/** Multiplies a rank's `length` first elements by 1/N in place. */
export function scaleInput(
  call: NumberedCall,
  buffer: string,
  ranks: readonly Rank[] = [...call.group.ranks.keys()],
): void {
  if (call.group.ranks.length === 1) return;
  const attrs = { from: 0, length: call.length, scale: 1 / call.group.ranks.length };
  for (const rank of ranks) laneOf(call, rank).compute('comm/scale', [buffer], [buffer], attrs, call.where);
}

/** Within the memory of one rank; nothing when it is empty. */
export function copyOwn(call: NumberedCall, rank: Rank, from: Slice, to: Slice): void {
  if (from.length === 0) return;
  const attrs = { from: from.offset, to: to.offset, length: from.length };
  laneOf(call, rank).compute('ops/copy', [from.buffer], [to.buffer], attrs, call.where);
}

/**
 * A buffer of that many elements on those ranks, for partial results: what NCCL and gloo keep in buffers of their own.
 */
export function scratch(
  call: NumberedCall,
  length: number,
  ranks: readonly Rank[] = [...call.group.ranks.keys()],
): string {
  const name = `${call.input}.${call.op}${suffixOf(call)}${call.seq}.scratch${length}`;
  for (const rank of ranks) {
    const lane = laneOf(call, rank);
    const { dtype } = lane.spec(call.input);
    lane.buffer({ name, shape: [length], dtype, category: 'communication', persistent: false });
  }
  return name;
}

/** Rank r's part of a buffer that is made of equal blocks, one per rank. */
export const block = (buffer: string, length: number, rank: Rank): Slice => ({ buffer, offset: rank * length, length });

/** The buffer that the result comes into. */
export const outputOf = (call: NumberedCall): string => must(call.output, `${call.op}: the output`);

/** What a rank brings to an all-gather. */
export const broughtBy = (call: NumberedCall, rank: Rank): Slice =>
  call.input === call.output ? block(call.input, call.length, rank) : block(call.input, call.length, 0);

/** A rank's own block of an all-gather comes to its place, where it is not there already. */
export function placeOwn(call: NumberedCall, rank: Rank): void {
  if (call.input !== call.output) copyOwn(call, rank, broughtBy(call, rank), block(outputOf(call), call.length, rank));
}

/** Where a reduce-scatter makes its sums: in a copy of the input, or in the input. */
export function partialSums(call: NumberedCall): string {
  const { input, length, group } = call;
  if (call.consumesInput) return input;
  const buffer = scratch(call, length);
  for (const rank of group.ranks.keys()) copyOwn(call, rank, block(input, length, 0), block(buffer, length, 0));
  return buffer;
}
