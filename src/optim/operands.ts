/**
 * Shared code of the optimiser operators: the order of operands of one instruction, their shape rule and their lowering
 * to one segmented dispatch. Inputs: scalars, p0 .. pn-1, g0 .. gn-1, then n of each state; outputs: the same
 * parameters and states, in place. Each optimiser's own file computes the new value of one element.
 */
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import type { Attrs, CpuArgs, OpDef, OpTypes, SegmentedLaunch, TensorType } from '../graph/op';
import { elements, formatShape, sameShape } from '../tensor/shape';
import { DECAY, MAXIMIZE, SCALARS_LENGTH, SKIP, WEIGHT_DECAY } from './scalars-layout';

export interface OptimizerSpec {
  readonly name: string;
  /** Number of states per parameter. */
  readonly states: (attrs: Attrs) => number;
  readonly kernel: (attrs: Attrs) => SegmentedLaunch['kernel'];
  readonly constants?: (attrs: Attrs) => Readonly<Record<string, number>>;
  readonly flopsPerElement: (attrs: Attrs) => number;
  /**
   * One parameter's step, in place, in torch's order of operations: a double expression rounded once stands for torch's
   * fused multiply-add.
   */
  readonly update: (
    scalars: Float32Array,
    parameter: Float32Array,
    gradient: Float32Array,
    states: readonly Float32Array[],
    attrs: Attrs,
  ) => void;
}

export function optimizerOpDef(spec: OptimizerSpec): OpDef {
  return {
    name: spec.name,
    infer: (inputs, attrs) => inferOptimizer(spec.name, inputs, attrs, spec.states(attrs)),
    lower: (types) =>
      lowerOptimizer(types, spec.kernel(types.attrs), spec.states(types.attrs), spec.constants?.(types.attrs) ?? {}),
    flops: (types) => spec.flopsPerElement(types.attrs) * elementsToUpdate(types),
    cpu: (args) => eachParameter(args, spec.update),
  };
}

/** The sign of the gradient: negative if the objective is maximised. */
export const signOf = (scalars: Float32Array): number => (scalars[MAXIMIZE] === 1 ? -1 : 1);

/** How the weight decay acts: it shrinks the parameter (decoupled), or it is added to the gradient (coupled). */
export function shrinkageOf(
  scalars: Float32Array,
  attrs: Attrs,
): { readonly shrink: number; readonly coupled: number } {
  if (attrs['decoupled'] === true) return { shrink: scalars[DECAY] ?? 1, coupled: 0 };
  return { shrink: 1, coupled: scalars[WEIGHT_DECAY] ?? 0 };
}

/** The i-th state, which the operands hold. */
export const stateOf = (states: readonly Float32Array[], i: number): Float32Array => at(states, i);

const countOf = (attrs: OpTypes['attrs']): number => Number(attrs['count']);

/** Output types; refuses gradients and states that do not have their parameter's shape. */
function inferOptimizer(
  name: string,
  inputs: readonly TensorType[],
  attrs: OpTypes['attrs'],
  states: number,
): readonly TensorType[] {
  const n = countOf(attrs);
  if (!Number.isInteger(n) || n < 1 || inputs.length !== 1 + n * (2 + states)) {
    throw new LockstepError(
      'shape',
      `${name}: ${inputs.length} operands for ${n} parameters, expected ${1 + n * (2 + states)}`,
    );
  }
  const scalars = at(inputs, 0);
  if (elements(scalars.shape) < SCALARS_LENGTH) {
    throw new LockstepError(
      'shape',
      `${name}: scalars have ${elements(scalars.shape)} elements, expected ${SCALARS_LENGTH}`,
    );
  }
  for (let i = 1 + n; i < inputs.length; i++) {
    const parameter = at(inputs, 1 + ((i - 1) % n));
    const other = at(inputs, i);
    if (!sameShape(parameter.shape, other.shape)) {
      throw new LockstepError(
        'shape',
        `${name}: operand ${i} has shape ${formatShape(other.shape)}, its parameter has ${formatShape(parameter.shape)}`,
      );
    }
  }
  return [...inputs.slice(1, 1 + n), ...inputs.slice(1 + 2 * n)];
}

/** One segment per parameter; group 0 is scalars, gradient, parameter, states. */
function lowerOptimizer(
  types: OpTypes,
  kernel: SegmentedLaunch['kernel'],
  states: number,
  constants: Readonly<Record<string, number>>,
): readonly SegmentedLaunch[] {
  const n = countOf(types.attrs);
  const firstOutput = types.inputs.length;
  const segments = Array.from({ length: n }, (_, k) => ({
    at: [
      { operand: 0, offset: 0, fixed: true },
      { operand: 1 + n + k, offset: 0 },
      ...Array.from({ length: 1 + states }, (__, s) => ({ operand: firstOutput + s * n + k, offset: 0 })),
    ],
    length: elements(at(types.inputs, 1 + k).shape),
  }));
  return [{ kind: 'segmented', kernel, constants, params: [], segments }];
}

function elementsToUpdate(types: OpTypes): number {
  return types.inputs.slice(1, 1 + countOf(types.attrs)).reduce((sum, type) => sum + elements(type.shape), 0);
}

/** Calls `update` once per parameter with its gradient and its states. */
export function eachParameter({ inputs, outputs, attrs }: CpuArgs, update: OptimizerSpec['update']): void {
  if (inputs[0]?.[SKIP] === 1) return;
  const n = countOf(attrs);
  const floats = (array: unknown): Float32Array => {
    if (array instanceof Float32Array) return array;
    throw new LockstepError('internal', 'an optimiser works on float32 only');
  };
  for (let k = 0; k < n; k++) {
    const states: Float32Array[] = [];
    for (let i = n + k; i < outputs.length; i += n) states.push(floats(outputs[i]));
    update(floats(inputs[0]), floats(outputs[k]), floats(inputs[1 + n + k]), states, attrs);
  }
}
