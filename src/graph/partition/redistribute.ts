/**
 * Adds the nodes that bring a rank's tensor from one placement to another. As in DTensor, a cut tensor is gathered, a
 * whole tensor is cut without a message, a sum is completed by an all-reduce or a reduce-scatter, and a cut along
 * another dimension is gathered first. Pieces of different lengths are padded for the message.
 */
import { at, must } from '../../base/invariant';
import type { Axis } from '../../protocol/mesh';
import { pieceOf, pieceShape } from '../../sharding/piece';
import type { Placement, Shard } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';
import type { GraphBuilder, GraphPhase } from '../graph';
import type { Attrs, ValueId } from '../op';
import { ALL_GATHER, ALL_REDUCE, CHUNK, IDENTITY, REDUCE_SCATTER } from '../ops/collective';
import { BLOCKS, JOIN, PAD, TRIM } from '../ops/partition';
import { type RankOnAxis, samePlacement } from './rule';

export interface Move {
  readonly from: Placement;
  readonly to: Placement;
  /** Shape of the whole tensor. */
  readonly shape: Shape;
  /** Each rank uses the result for a different part, so its gradient is a sum over the ranks. */
  readonly partialGradient: boolean;
}

export interface NodeSite {
  readonly builder: GraphBuilder;
  readonly axis: Axis;
  readonly rank: RankOnAxis;
  readonly module: string;
  readonly phase: GraphPhase;
}

/** `name`: of the result; intermediate values have this name with a suffix. */
export function redistribute(site: NodeSite, value: ValueId, move: Move, name: string): ValueId {
  const { from, to, partialGradient } = move;
  const steps = new Steps(site, move.shape, name);
  if (samePlacement(from, to)) return partialGradient ? steps.collective(IDENTITY, value, {}, name) : value;
  if (from.kind === 'partial')
    return to.kind === 'shard' ? steps.scattered(value, to) : steps.collective(ALL_REDUCE, value, {}, name);
  const whole = from.kind === 'shard' ? steps.gathered(value, from, partialGradient && to.kind !== 'shard') : value;
  return to.kind === 'shard' ? steps.cut(whole, to) : whole;
}

class Steps {
  constructor(
    private readonly site: NodeSite,
    private readonly shape: Shape,
    private readonly name: string,
  ) {}

  /** Shard to Replicate. */
  gathered(value: ValueId, from: Shard, partialGradient: boolean): ValueId {
    const padded = this.isEven(from) ? value : this.local(PAD, value, this.lengthAlong(from), `${this.name}.padded`);
    const blocks = this.collective(
      ALL_GATHER,
      padded,
      { ranks: this.count, ...(partialGradient ? {} : { alike: true }) },
      this.areRows(from) ? this.name : `${this.name}.blocks`,
    );
    return this.areRows(from) ? blocks : this.local(JOIN, blocks, this.layout(from), this.name);
  }

  /** Replicate to Shard. */
  cut(value: ValueId, to: Shard): ValueId {
    return this.trimmed(this.collective(CHUNK, this.blocks(value, to), { ranks: this.count }, this.own(to)), to);
  }

  /** Partial to Shard. */
  scattered(value: ValueId, to: Shard): ValueId {
    const own = this.collective(REDUCE_SCATTER, this.blocks(value, to), { ranks: this.count }, this.own(to));
    return this.trimmed(own, to);
  }

  collective(op: string, value: ValueId, attrs: Attrs, name: string): ValueId {
    return this.local(op, value, { axis: this.site.axis, ...attrs }, name);
  }

  private blocks(value: ValueId, to: Shard): ValueId {
    return this.areRows(to) ? value : this.local(BLOCKS, value, this.layout(to), `${this.name}.blocks`);
  }

  private trimmed(value: ValueId, to: Shard): ValueId {
    if (this.isEven(to)) return value;
    const length = at(pieceShape(pieceOf(this.shape, [{ placement: to, ...this.site.rank }])), to.dim);
    return this.local(TRIM, value, { dim: to.dim, length }, this.name);
  }

  private own(to: Shard): string {
    return this.isEven(to) ? this.name : `${this.name}.padded`;
  }

  private get count(): number {
    return this.site.rank.count;
  }

  private layout({ dim, splitFactor }: Shard): Attrs {
    return { shape: this.shape, dim, ranks: this.count, splitFactor };
  }

  /** The length of the longest piece, the first rank's. */
  private lengthAlong(placement: Shard): Attrs {
    const first = pieceShape(pieceOf(this.shape, [{ placement, index: 0, count: this.count }]));
    return { dim: placement.dim, length: at(first, placement.dim) };
  }

  private isEven({ dim, splitFactor }: Shard): boolean {
    return at(this.shape, dim) % (splitFactor * this.count) === 0;
  }

  /** Whether the pieces, concatenated, are the whole tensor. */
  private areRows(placement: Shard): boolean {
    return placement.dim === 0 && placement.splitFactor === 1 && this.isEven(placement);
  }

  private local(op: string, value: ValueId, attrs: Attrs, name: string): ValueId {
    const { builder, module, phase } = this.site;
    return must(
      builder.apply(op, [value], attrs, { module, phase, names: [name], halves: [builder.halfOf(value)] })[0],
      op,
    );
  }
}
