/** How WebAssembly kernels run an operator: tables of these, by operator name, beside the plain kernel in OpDef. */
import type { CpuArgs, OpDef } from '../op';
import type { StartTeam } from './team';
import type { Vectors } from './vectors';

/**
 * Returns a function that runs the operator on these arguments, which are in the memory of `vectors`, with the bits of
 * its plain kernel; undefined if only the plain kernel can run them.
 */
export type VectorOp = (args: CpuArgs, vectors: Vectors) => (() => void) | undefined;

export type VectorOps = ReadonlyMap<string, VectorOp>;

interface Modules {
  readonly one?: WebAssembly.Module | undefined;
  readonly shared?: WebAssembly.Module | undefined;
}

/** The loaded kernels. Each owner of tensors opens its own memory. */
export interface VectorPart {
  readonly ops: VectorOps;
  /** Undefined if the memory cannot be allocated: see Vectors.open. */
  open(regions: readonly number[], start?: StartTeam): Vectors | undefined;
  /** The same operators over other modules: one for one thread (absent: the usual module), one for several threads. */
  over(modules: Modules): VectorPart;
}

/** The kernels over the memory of one executor or evaluator. */
export interface OpenedVectors {
  readonly ops: VectorOps;
  readonly vectors: Vectors;
}

/** `start`: starts the team, for several threads. */
export function openVectors(
  part: VectorPart | undefined,
  regions: readonly number[],
  start?: StartTeam,
): OpenedVectors | undefined {
  const vectors = part?.open(regions, start);
  return part && vectors && { ops: part.ops, vectors };
}

/** The function that runs an operator: its WebAssembly kernel if it has one, otherwise the plain kernel. */
export const actionOf = (op: OpDef, args: CpuArgs, opened: OpenedVectors | undefined): (() => void) =>
  opened?.ops.get(op.name)?.(args, opened.vectors) ?? (() => op.cpu(args));
