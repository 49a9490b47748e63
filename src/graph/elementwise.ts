/**
 * Shape rule, lowering and cost that all elementwise float32 operators share: inputs of one shape, an output of the same shape, one kernel
 * invocation an element. The CPU loop stays in each operator's file, where the engine can inline it.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { elements, formatShape, sameShape } from '../tensor/shape';
import type { KernelId } from './kernel-table';
import { dense, grid } from './launch';
import type { Attrs, CpuArgs, GradientContext, OpDef, ValueId } from './op';

export interface Elementwise {
  readonly name: KernelId;
  readonly flopsPerElement: number;
  readonly cpu: (args: CpuArgs) => void;
  readonly gradient?: (context: GradientContext) => readonly (ValueId | undefined)[];
  readonly constants?: (attrs: Attrs) => Readonly<Record<string, number>>;
}

export function elementwise(spec: Elementwise): OpDef {
  return {
    name: spec.name,
    infer(inputs) {
      const first = at(inputs, 0);
      for (const other of inputs) {
        if (sameShape(first.shape, other.shape)) continue;
        throw new LockstepError(
          'shape',
          `${spec.name}: sizes ${formatShape(first.shape)} and ${formatShape(other.shape)} must match`,
        );
      }
      return [{ shape: first.shape, dtype: 'f32' }];
    },
    ...(spec.gradient ? { gradient: spec.gradient } : {}),
    cpu: spec.cpu,
    lower(types) {
      const n = elements(at(types.inputs, 0).shape);
      return [dense(spec.name, types, [n], grid(n), spec.constants?.(types.attrs))];
    },
    flops: (types) => spec.flopsPerElement * elements(at(types.inputs, 0).shape),
  };
}

/** Gradient rule of a unary operator whose backward kernel takes (dy, y) or (dy, x). */
export function unaryGradient(op: string, saved: 'input' | 'output') {
  return (c: GradientContext): readonly (ValueId | undefined)[] => {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [undefined];
    return c.emit(op, [dy, saved === 'input' ? c.input(0) : c.output(0)], c.types.attrs, [0]);
  };
}
