/** How kernels of WebAssembly do an operator: a row of a table by its name, beside the plain kernel in OpDef. */
import type { CpuArgs, OpDef } from '../op';
import type { StartTeam } from './team';
import type { Vectors } from './vectors';

/**
 * What runs the operator on these arguments, which lie in the memory of `vectors`, with the bits of its plain kernel;
 * undefined where only the plain kernel can do it.
 */
export type VectorOp = (args: CpuArgs, vectors: Vectors) => (() => void) | undefined;

export type VectorOps = ReadonlyMap<string, VectorOp>;

interface Modules {
  readonly one?: WebAssembly.Module | undefined;
  readonly shared?: WebAssembly.Module | undefined;
}

/** The kernels, for whoever has them: each owner of tensors opens a memory of its own. */
export interface VectorPart {
  readonly ops: VectorOps;
  /** Undefined where such a memory cannot be had: see Vectors.open. */
  open(regions: readonly number[], start?: StartTeam): Vectors | undefined;
  /** The same operators over other modules: for one thread (absent: the usual one), and for several. */
  over(modules: Modules): VectorPart;
}

/** The kernels over the memory of one executor or evaluator. */
export interface OpenedVectors {
  readonly ops: VectorOps;
  readonly vectors: Vectors;
}

/** `start`: for several threads. */
export function openVectors(
  part: VectorPart | undefined,
  regions: readonly number[],
  start?: StartTeam,
): OpenedVectors | undefined {
  const vectors = part?.open(regions, start);
  return part && vectors && { ops: part.ops, vectors };
}

/** What runs an operator: its kernel of WebAssembly, where there is one, or else the plain one. */
export const actionOf = (op: OpDef, args: CpuArgs, opened: OpenedVectors | undefined): (() => void) =>
  opened?.ops.get(op.name)?.(args, opened.vectors) ?? (() => op.cpu(args));
