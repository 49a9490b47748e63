/**
 * Shape rule, lowering and cost that operators over the last dimension share (softmax and its kin): inputs [..., C] of one shape, output likewise, one kernel
 * invocation a row.
 */
import { at } from '../base/invariant';
import { elements } from '../tensor/shape';
import type { KernelId } from './kernel-table';
import { dense, grid, lastOf, rowsOf } from './launch';
import type { CpuArgs, GradientContext, OpDef, ValueId } from './op';

export interface Rowwise {
  readonly name: KernelId;
  readonly flopsPerElement: number;
  readonly cpu: (args: CpuArgs) => void;
  readonly gradient?: (context: GradientContext) => readonly (ValueId | undefined)[];
}

export function rowwise(spec: Rowwise): OpDef {
  return {
    name: spec.name,
    infer: (inputs) => [{ shape: at(inputs, 0).shape, dtype: 'f32' }],
    ...(spec.gradient ? { gradient: spec.gradient } : {}),
    cpu: spec.cpu,
    lower(types) {
      const { shape } = at(types.inputs, 0);
      return [dense(spec.name, types, [rowsOf(shape), lastOf(shape)], grid(rowsOf(shape)))];
    },
    flops: (types) => spec.flopsPerElement * elements(at(types.inputs, 0).shape),
  };
}
