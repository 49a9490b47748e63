/**
 * Collectives inside a graph: tensors of several ranks, gathered, scattered or summed in the middle of forward or
 * backward. A graph belongs to one rank, so these nodes name only that rank's input and output; step/walk turns the
 * nodes into transfers between devices, and no runtime ever sees them. Their gradients come in pairs: identity and
 * all-reduce, all-gather and reduce-scatter, broadcast and reduce. Attr `axis` names the axis of the mesh along which
 * the ranks lie; without it they are the replicas of the node's stage. Sources: torch/distributed/nn/functional.py, and
 * for identity and all-reduce Megatron-LM's megatron/core/tensor_parallel/mappings.py.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import type { Attrs, GradientContext, OpDef, TensorType, ValueId } from '../op';

/** Output = input. Its gradient is the sum over the ranks, because each rank uses the tensor for a different part. */
export const IDENTITY = 'collective/identity';
/** The sum over the ranks. Its gradient is the output's, because every rank continues with the same sum. */
export const ALL_REDUCE = 'collective/all-reduce';
/**
 * Input [n, ...], output [ranks * n, ...]: the ranks' inputs one after the other. Attr `ranks`. Each rank uses the
 * output for a different part, so the gradient is a reduce-scatter; with attr `alike` all ranks use it in the same way,
 * and each already has its part of the gradient.
 */
export const ALL_GATHER = 'collective/all-gather';
/** Input [ranks * n, ...], output [n, ...]: this rank's part of the sum over the ranks. Attr `ranks`. */
export const REDUCE_SCATTER = 'collective/reduce-scatter';
/**
 * Input [ranks * n, ...], the same on every rank; output [n, ...], the part of this rank. Nothing is sent. Attr
 * `ranks`.
 */
export const CHUNK = 'collective/chunk';
/** The input of the group's first rank. */
export const BROADCAST = 'collective/broadcast';
/** The sum on the group's first rank, zeros on the others: the gradient of a broadcast. */
export const REDUCE = 'collective/reduce';

const NAMES: ReadonlySet<string> = new Set([
  IDENTITY,
  ALL_REDUCE,
  ALL_GATHER,
  REDUCE_SCATTER,
  CHUNK,
  BROADCAST,
  REDUCE,
]);

export const isCollective = ({ op }: { readonly op: string }): boolean => NAMES.has(op);

/** Whether the node only copies within each rank; its gradient is a collective that sends messages. */
export const sendsNothing = ({ op }: { readonly op: string }): boolean => op === IDENTITY || op === CHUNK;

/** `gradient`: the collective that computes the input's gradient from the output's; undefined: the two are equal. */
export function collective(
  name: string,
  gradient: string | undefined | ((attrs: Attrs) => string),
  outputOf: (input: TensorType, attrs: Attrs) => TensorType,
): OpDef {
  const misplaced = (): never => {
    const hint = 'Only a mode with several ranks can run it.';
    throw new LockstepError('internal', `a Program contains ${name} instead of its transfers`, hint);
  };
  return {
    name,
    infer: (inputs, attrs) => [outputOf(at(inputs, 0), attrs)],
    gradient: (c) => [gradientOf(c, typeof gradient === 'function' ? gradient(c.types.attrs) : gradient)],
    cpu: misplaced,
    lower: misplaced,
    flops: () => 0,
  };
}

function gradientOf(c: GradientContext, op: string | undefined): ValueId | undefined {
  const dy = c.outputGrad(0);
  return dy === undefined || op === undefined ? dy : c.emit(op, [dy], c.types.attrs, [0])[0];
}

export function summed(input: TensorType): TensorType {
  if (input.dtype === 'f32') return input;
  throw new LockstepError(
    'shape',
    `a sum over ranks of ${input.dtype} inside a graph`,
    'Only float32 tensors are summed.',
  );
}

const gathered = ({ shape, dtype }: TensorType, { ranks }: Attrs): TensorType => ({
  shape: [Number(ranks) * at(shape, 0), ...shape.slice(1)],
  dtype,
});

export const COLLECTIVE_OPS: readonly OpDef[] = [
  collective(ALL_REDUCE, undefined, summed),
  collective(ALL_GATHER, ({ alike }) => (alike === true ? CHUNK : REDUCE_SCATTER), gathered),
];
