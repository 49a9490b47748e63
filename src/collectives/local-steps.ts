/**
 * A collective's local work within a rank's memory: pre-divides for avg as NCCL does, copies the rank's own block,
 * declares memory for partial results. Called by recipe.ts and by the algorithms.
 */
import { at, must } from '../base/invariant';
import type { LaneBuilder } from '../program/lane-builder';
import type { Rank, Slice } from '../protocol/trace';
import type { DType } from '../tensor/shape';
import type { CollectiveCall, NumberedCall } from './collective';

/** The lane of a rank of the group. */
export const laneOf = ({ builder, group }: NumberedCall, rank: Rank): LaneBuilder =>
  builder.lane(builder.deviceOf(at(group.ranks, rank)));

/** Type of the input; for scatter only the root has it. */
export const dtypeOf = ({ builder, group, input, root = 0 }: CollectiveCall): DType =>
  at(builder.lanesOf(group), root).spec(input).dtype;

/** Suffix that distinguishes the buffers of several groups on one device. */
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

/** Copies within the memory of one rank; emits nothing if the slice is empty. */
export function copyOwn(call: NumberedCall, rank: Rank, from: Slice, to: Slice): void {
  if (from.length === 0) return;
  const attrs = { from: from.offset, to: to.offset, length: from.length };
  laneOf(call, rank).compute('ops/copy', [from.buffer], [to.buffer], attrs, call.where);
}

/** Declares a buffer for partial results on these ranks, which NCCL and gloo keep in internal buffers. */
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

/** Rank r's block of a buffer of equal blocks, one per rank. */
export const block = (buffer: string, length: number, rank: Rank): Slice => ({ buffer, offset: rank * length, length });

/** The buffer of the result. */
export const outputOf = (call: NumberedCall): string => must(call.output, `${call.op}: the output`);

/** A rank's input to an all-gather. */
export const broughtBy = (call: NumberedCall, rank: Rank): Slice =>
  call.input === call.output ? block(call.input, call.length, rank) : block(call.input, call.length, 0);

/** Copies a rank's own block of an all-gather to its place, unless it is already there. */
export function placeOwn(call: NumberedCall, rank: Rank): void {
  if (call.input !== call.output) copyOwn(call, rank, broughtBy(call, rank), block(outputOf(call), call.length, rank));
}

/** The buffer in which a reduce-scatter sums: a copy of the input, or the input itself. */
export function partialSums(call: NumberedCall): string {
  const { input, length, group } = call;
  if (call.consumesInput) return input;
  const buffer = scratch(call, length);
  for (const rank of group.ranks.keys()) copyOwn(call, rank, block(input, length, 0), block(buffer, length, 0));
  return buffer;
}
