/**
 * Shape rule, lowering and cost that operators along one dimension share (softmax and similar; attr `dim`, default the
 * last): inputs and output have one shape, and each line of that dimension has one kernel invocation. `forEachRow`
 * walks the lines on the CPU.
 */
import { at } from '../../../base/invariant';
import { elements } from '../../../tensor/shape';
import type { KernelId } from '../../kernel-table';
import { dense, grid } from '../../launch';
import type { CpuArgs, GradientContext, OpDef, ValueId } from '../../op';
import { lineOf } from './extent';

export interface Rowwise {
  readonly name: KernelId;
  readonly flopsPerElement: number;
  readonly cpu: (args: CpuArgs) => void;
  readonly gradient?: (context: GradientContext) => readonly (ValueId | undefined)[];
}

/** Calls `visit` for each line with its first index, the index past its last, and the distance between neighbours. */
export function forEachRow(
  { inputTypes, attrs }: Pick<CpuArgs, 'inputTypes' | 'attrs'>,
  visit: (start: number, end: number, step: number) => void,
): void {
  const { outer, n, inner } = lineOf(at(inputTypes, 0).shape, attrs);
  for (let o = 0; o < outer; o++) for (let i = 0; i < inner; i++) visit(o * n * inner + i, (o + 1) * n * inner, inner);
}

export function rowwise(spec: Rowwise): OpDef {
  return {
    name: spec.name,
    infer(inputs, attrs) {
      const { shape } = at(inputs, 0);
      lineOf(shape, attrs);
      return [{ shape, dtype: 'f32' }];
    },
    ...(spec.gradient ? { gradient: spec.gradient } : {}),
    cpu: spec.cpu,
    lower(types) {
      const { outer, n, inner } = lineOf(at(types.inputs, 0).shape, types.attrs);
      return [dense(spec.name, types, [outer * inner, n, inner], grid(outer * inner))];
    },
    flops: (types) => spec.flopsPerElement * elements(at(types.inputs, 0).shape),
  };
}
