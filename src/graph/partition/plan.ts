/**
 * The placements along one axis of the mesh: of parameters, and of modules' inputs and outputs. styles.ts makes a Plan
 * from a parallelize_plan of torch.distributed.tensor.parallel; partition.ts reads it. Tensors that it does not name
 * are whole on every rank. A negative dimension counts from the last one.
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
  /** Placements of parameters and buffers, by their names in the state_dict. */
  readonly tensors: ReadonlyMap<string, Placement>;
  /** Placements of modules' inputs, by the path of the module. */
  readonly inputs: ReadonlyMap<string, Placement>;
  /** The layouts that the plan states for a module's input or output, by path. They move nothing, but are checked. */
  readonly layouts?: ReadonlyMap<string, LayoutsOf>;
  /** Placements to which values are redistributed as soon as they are made, by name ('2.out'). */
  readonly values: ReadonlyMap<string, Placement>;
  /** Whether the loss takes logits that are cut by class, and so does not gather them. */
  readonly lossParallel?: boolean;
}

export const placementOf = ({ tensors }: Plan, name: string): Placement => tensors.get(name) ?? REPLICATE;

/** Turns a negative dimension of a cut into a dimension of this shape. */
export const fromLast = (placement: Placement | undefined, { length }: Shape): Placement | undefined =>
  placement?.kind === 'shard' && placement.dim < 0 ? { ...placement, dim: placement.dim + length } : placement;
