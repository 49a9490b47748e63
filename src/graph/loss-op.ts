/**
 * What the three losses share. A loss takes (output, target) and gives one number, shape [1]; its gradient operator takes (output, target,
 * upstream[1]) and gives d loss / d output times upstream[0]. With reduction 'mean' both divide by `count` (elements, or rows for cross-entropy).
 */
import { at } from '../base/invariant';
import { elements } from '../tensor/shape';
import type { KernelId } from './kernel-table';
import { dense, GROUP, grid } from './launch';
import type { CpuArgs, KernelParam, OpDef, OpTypes, TensorType } from './op';

/** Up to that many elements one invocation sums; beyond, a workgroup does, whose barrier is then worth it. */
const SEQUENTIAL_LIMIT = 1024;

export interface LossSpec {
  readonly name: KernelId;
  readonly gradName: KernelId;
  readonly flopsPerElement: number;
  /** Throws when output and target do not fit, in PyTorch's words. */
  readonly check: (output: TensorType, target: TensorType) => void;
  readonly cpu: (args: CpuArgs) => void;
  readonly gradCpu: (args: CpuArgs) => void;
  readonly params: (types: OpTypes) => readonly KernelParam[];
  /** Invocations of the gradient kernel. */
  readonly gradInvocations: (output: TensorType) => number;
}

export const isMean = (attrs: CpuArgs['attrs']): boolean => attrs.reduction !== 'sum';

export function lossOp(spec: LossSpec): readonly [loss: OpDef, grad: OpDef] {
  const flops = (types: OpTypes): number => spec.flopsPerElement * elements(at(types.inputs, 0).shape);
  const loss: OpDef = {
    name: spec.name,
    infer(inputs) {
      spec.check(at(inputs, 0), at(inputs, 1));
      return [{ shape: [1], dtype: 'f32' }];
    },
    gradient(c) {
      const upstream = c.outputGrad(0);
      if (upstream === undefined || !c.needsGrad(0)) return [];
      return c.emit(spec.gradName, [c.input(0), c.input(1), upstream], c.types.attrs, [0]);
    },
    cpu: spec.cpu,
    lower(types) {
      const lanes = elements(at(types.inputs, 0).shape) > SEQUENTIAL_LIMIT ? GROUP : 1;
      return [dense(spec.name, types, spec.params(types), [1, 1], { LANES: lanes })];
    },
    flops,
  };
  const grad: OpDef = {
    name: spec.gradName,
    infer: (inputs) => [{ shape: at(inputs, 0).shape, dtype: 'f32' }],
    cpu: spec.gradCpu,
    lower(types) {
      const invocations = spec.gradInvocations(at(types.inputs, 0));
      return [dense(spec.gradName, types, spec.params(types), grid(invocations))];
    },
    flops,
  };
  return [loss, grad];
}
