/**
 * Helpers for lowering dense operators: the dispatch grid over n invocations, and a launch that binds every operand in
 * order. Shaders turn a grid back into an index by `id.y * 2097152u + id.x` (GRID_WIDTH workgroups of 64 a row).
 */
import type { Shape } from '../tensor/shape';
import type { KernelId } from './kernel-table';
import type { DenseLaunch, KernelParam, OpTypes } from './op';

export const GROUP = 64;
const GRID_WIDTH = 32_768;

/** Workgroups of `size` for n invocations, in two dimensions if one would exceed WebGPU's limit of 65,535. */
export function grid(n: number, size = GROUP): readonly [number, number] {
  const groups = Math.ceil(n / size);
  return groups <= GRID_WIDTH ? [groups, 1] : [GRID_WIDTH, Math.ceil(groups / GRID_WIDTH)];
}

/** One launch that binds all inputs, then all outputs. */
export function dense(
  kernel: KernelId,
  types: OpTypes,
  params: readonly KernelParam[],
  workgroups: readonly [number, number],
  constants: Readonly<Record<string, number>> = {},
): DenseLaunch {
  const bindings = Array.from({ length: types.inputs.length + types.outputs.length }, (_, i) => i);
  return { kind: 'dense', kernel, constants, bindings, params, workgroups };
}

/** Product of all sizes but the last: how many rows a [..., n] tensor has. */
export function rowsOf(shape: Shape): number {
  let rows = 1;
  for (let d = 0; d < shape.length - 1; d++) rows *= shape[d] as number;
  return rows;
}
export const lastOf = (shape: Shape): number => shape.at(-1) ?? 1;
