/** The makers and readers of the values of a whole graph, and which values have gradients. Used by partition.ts. */
import type { Graph } from '../graph';
import type { ValueId } from '../op';

export class ValueUses {
  private readonly makers = new Map<ValueId, string>();
  private readonly readers = new Map<ValueId, number>();
  private readonly differentiated: Set<ValueId>;

  /** `wrt`: values, beside the parameters, whose gradients are requested. */
  constructor({ nodes, values }: Graph, wrt: readonly ValueId[]) {
    this.differentiated = new Set([...wrt, ...values.flatMap(({ id, role }) => (role === 'parameter' ? [id] : []))]);
    for (const { inputs, outputs, module } of nodes) {
      const differentiated = inputs.some((id) => this.differentiated.has(id));
      for (const id of outputs) {
        if (differentiated) this.differentiated.add(id);
        this.makers.set(id, module);
      }
      for (const id of new Set(inputs)) this.readers.set(id, this.readersOf(id) + 1);
    }
  }

  /** The module that makes the value; undefined: no node does. */
  makerOf(id: ValueId): string | undefined {
    return this.makers.get(id);
  }

  /** How many nodes read the value. */
  readersOf(id: ValueId): number {
    return this.readers.get(id) ?? 0;
  }

  /** Whether the gradient of the value is requested, or is needed to compute a requested gradient. */
  isDifferentiated(id: ValueId): boolean {
    return this.differentiated.has(id);
  }
}
