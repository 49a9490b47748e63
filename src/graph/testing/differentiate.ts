/**
 * One operator as a graph: forward node, then the backward nodes that GraphBuilder appends for a given upstream
 * gradient.
 */
import { at } from '../../base/invariant';
import { type Graph, GraphBuilder } from '../graph';
import type { Attrs, OpTable, TensorType, ValueId } from '../op';

export interface Differentiated {
  readonly graph: Graph;
  readonly inputs: readonly ValueId[];
  readonly output: ValueId;
  readonly upstream: ValueId;
  /** Gradient value per input; undefined where none was asked for. */
  readonly gradients: readonly (ValueId | undefined)[];
}

export function differentiate(
  ops: OpTable,
  op: string,
  attrs: Attrs,
  inputs: readonly { readonly type: TensorType; readonly wrt: boolean }[],
): Differentiated {
  const builder = new GraphBuilder(ops);
  const ids = inputs.map((input, i) => builder.value(`in${i}`, input.type, input.wrt ? 'parameter' : 'input'));
  const output = at(builder.apply(op, ids, attrs, { module: '0', phase: 'forward', names: ['out'] }), 0);
  const upstream = builder.value('out.grad', builder.typeOf(output), 'seed');
  const wrt = ids.filter((_, i) => at(inputs, i).wrt);
  const gradients = builder.backward(new Map([[output, upstream]]), wrt);
  return { graph: builder.finish(), inputs: ids, output, upstream, gradients: ids.map((id) => gradients.get(id)) };
}
