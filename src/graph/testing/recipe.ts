/**
 * The form of a recipe: how one torch operator of fixtures/ops.json is said with the operators of this project. It
 * applies nodes to a graph under construction and returns the output; the parity tests then differentiate it and run it
 * on both devices.
 */
import type { HostArray, Shape } from '../../tensor/shape';
import type { GraphBuilder } from '../graph';
import type { Attrs, ValueId } from '../op';

export interface TorchCase {
  readonly op: string;
  /** torch's own names and forms: 'dim', 'keepdim', 'stride': [2, 1] ... */
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, TorchTensor>>;
}

export interface TorchTensor {
  readonly shape: Shape;
  readonly data: HostArray;
}

export interface RecipeContext {
  readonly case: TorchCase;
  readonly builder: GraphBuilder;
  /** The input of that name (float32, or int32 for indices and masks). */
  input(name: string): ValueId;
  has(name: string): boolean;
  /** A constant tensor that the case gives outside `inputs`, e.g. running statistics. */
  constant(name: string, tensor: TorchTensor): ValueId;
  /** Appends a forward node and returns its first output. */
  apply(op: string, inputs: readonly ValueId[], attrs?: Attrs): ValueId;
}

/**
 * Returns the output; `after`: values that the case compares after the forward pass (running statistics), by torch's
 * name.
 */
export type Recipe = (
  c: RecipeContext,
) => ValueId | { readonly out: ValueId; readonly after: Readonly<Record<string, ValueId>> };

/** The plain case: one operator over the inputs in the order in which the fixture names them. */
export const direct =
  (op: string, attrs: (c: TorchCase) => Attrs = () => ({})): Recipe =>
  (c) =>
    c.apply(op, Object.keys(c.case.inputs).map(c.input), attrs(c.case));
