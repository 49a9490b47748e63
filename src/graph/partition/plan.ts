/**
 * What is cut, and how: placements of parameters, of what modules take in and of what they hand on, along one axis of
 * the mesh. It is the meaning of a parallelize_plan of torch.distributed.tensor.parallel (styles.ts makes one), read by
 * partition.ts. Whatever it does not name is whole on every rank. A negative dimension is counted from the last one.
 */
import type { Axis } from '../../protocol/mesh';
import { type Placement, REPLICATE } from '../../sharding/placement';
import type { Shape } from '../../tensor/shape';

export interface LayoutsOf {
  readonly input?: Placement | undefined;
  readonly output?: Placement | undefined;
}

export interface Plan {
  readonly axis: Axis;
  /** Of parameters and buffers, by their names in the state_dict. */
  readonly tensors: ReadonlyMap<string, Placement>;
  /** Of what a module takes in, by the path of the module. */
  readonly inputs: ReadonlyMap<string, Placement>;
  /** By the path of a module: how the plan says that the ranks hold its input or output. Moves nothing; checked. */
  readonly layouts?: ReadonlyMap<string, LayoutsOf>;
  /** Of values, by name ('2.out'): to what they are brought as soon as they are made. */
  readonly values: ReadonlyMap<string, Placement>;
  /** The loss takes logits that are cut by class, and so does not gather them. */
  readonly lossParallel?: boolean;
}

export const placementOf = ({ tensors }: Plan, name: string): Placement => tensors.get(name) ?? REPLICATE;

/** A cut at a dimension that is counted from the last one, as the dimension of this shape. */
export const fromLast = (placement: Placement | undefined, { length }: Shape): Placement | undefined =>
  placement?.kind === 'shard' && placement.dim < 0 ? { ...placement, dim: placement.dim + length } : placement;
