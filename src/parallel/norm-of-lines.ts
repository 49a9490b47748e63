/**
 * The total norm of gradients if layers are cut: a rank of a tensor group has pieces of some gradients and other
 * gradients whole, and pipeline ranks have different layers. As with DTensors, a piece counts on its rank and a whole
 * gradient once per group. Each group gathers the norms of its ranks, and each pipeline line then combines the norms of
 * its stages, so all ranks have the same bits. torch sums squares with an all-reduce instead, which differs in the last
 * bits. Called by emit-optimizer.ts.
 */
import { at } from '../base/invariant';
import { algorithmFor } from '../collectives/algorithms';
import type { ProgramBuilder } from '../program/builder';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { Axis } from '../protocol/mesh';
import { CLIP, emitNorm, emitNormOfNorms, GRAD_NORM, type NormInput, type NormPart, OWN_NORM } from './emit-norm';

/** `lines`: lines of pipeline ranks. All lines have the same layers, and each has a part of every layer. */
export function emitNormOfLines(
  builder: ProgramBuilder,
  input: NormInput,
  lines: readonly (readonly NormPart[])[],
  piecesAlong: readonly Axis[],
): void {
  const first = at(lines, 0);
  const target = first.length > 1 ? OWN_NORM : GRAD_NORM;
  for (const k of first.keys())
    emitNormOfGroup(
      builder,
      input,
      lines.map((line) => at(line, k)),
      { target, piecesAlong },
    );
  if (first.length < 2) return;
  for (const line of lines) {
    const lanes = line.map(({ lane }) => lane);
    emitNormOfNorms(builder, input, { from: lanes, to: lanes });
  }
}

/** `parts`: the parts of the same layers, one per rank. Every rank gets the norm over all parts. */
function emitNormOfGroup(
  builder: ProgramBuilder,
  input: NormInput,
  parts: readonly NormPart[],
  { target, piecesAlong }: { readonly target: string; readonly piecesAlong: readonly Axis[] },
): void {
  const [part, all] = ['grad_norm.part', 'grad_norm.parts'];
  const comm: Where = { ...CLIP, queue: 'comm' };
  for (const { lane, gradients } of parts) {
    emitNormOrZero(lane, input, gradients, part);
    lane.buffer({ name: all, shape: [parts.length], dtype: 'f32', category: 'optimizer', persistent: false });
    lane.handOver('compute', 'comm', comm);
  }
  algorithmFor(input.config.ddp?.algorithm ?? 'ring', 'allGather').emit({
    builder,
    op: 'allGather',
    group: builder.mesh.plane(piecesAlong, at(parts, 0).lane.rank),
    input: part,
    output: all,
    length: 1,
    payload: 'gradient',
    where: comm,
  });
  for (const { lane } of parts) {
    lane.handOver('comm', 'compute', CLIP);
    emitNorm(lane, input, [all], target);
  }
}

/** Emits 0 if every gradient of the lane counts on another lane. */
function emitNormOrZero(lane: LaneBuilder, input: NormInput, gradients: readonly string[], target: string): void {
  if (gradients.length > 0) {
    emitNorm(lane, input, gradients, target);
    return;
  }
  lane.buffer({ name: target, shape: [1], dtype: 'f32', category: 'optimizer', persistent: true });
  lane.compute('comm/fill', [], [target], { from: 0, length: 1, value: 0 }, CLIP);
}
