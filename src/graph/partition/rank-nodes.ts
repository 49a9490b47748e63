/**
 * Adds nodes to the graph of one rank that no node of the whole graph stands for: what a rule builds itself, an operand
 * that only one rank adds, a bias after the sum over the ranks. Called by the pass (partition.ts).
 */
import { at } from '../../base/invariant';
import type { GraphBuilder } from '../graph';
import type { Attrs, ValueId } from '../op';
import { ALL_REDUCE } from '../ops/collective';
import { FIRST } from '../ops/partition';
import type { NodeSite } from './redistribute';
import type { LocalBuilder, Rule } from './rule';

export class RankNodes {
  constructor(private readonly builder: GraphBuilder) {}

  apply(op: string, inputs: readonly ValueId[], attrs: Attrs, { module, phase }: NodeSite, names: readonly string[]) {
    // The result is in the format of the first input.
    const halves = inputs.slice(0, 1).map((id) => this.builder.halfOf(id));
    return this.builder.apply(op, inputs, attrs, { module, phase, names, halves });
  }

  /** For rules that build their nodes themselves. */
  forRule(site: NodeSite): LocalBuilder {
    const { rank, axis } = site;
    return {
      rank,
      apply: (op, inputs, attrs, names) => this.apply(op, inputs, attrs, site, names),
      allReduce: (value, reduceOp, name) => {
        const attrs = { axis, ...(reduceOp === 'max' ? { reduceOp } : {}) };
        return at(this.apply(ALL_REDUCE, [value], attrs, site, [name]), 0);
      },
    };
  }

  /** Operand `i` of a node; an operand that is added once is zero on all ranks but one. */
  operand({ addedOnce }: Rule, id: ValueId, i: number, site: NodeSite): ValueId {
    if (addedOnce?.input !== i) return id;
    const name = this.builder.nameOf(id);
    return at(this.apply(FIRST, [id], { index: site.rank.index }, site, [`${name}.once`]), 0);
  }

  /** `after`: number of dimensions of the sum after the dimension of the bias. */
  plusBias(sum: ValueId, bias: ValueId, after: number, site: NodeSite, name: string): ValueId {
    const [length = 1] = this.builder.typeOf(bias).shape;
    const repeated = [length, ...Array.from({ length: after }, () => 1)];
    const spread =
      after === 0 ? bias : at(this.apply('shape/reshape', [bias], { shape: repeated }, site, [`${name}.bias`]), 0);
    return at(this.apply('ops/add', [sum, spread], {}, site, [name]), 0);
  }
}
