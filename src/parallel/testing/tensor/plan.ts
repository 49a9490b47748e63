/**
 * What is cut, and how: a parallelize_plan of torch.distributed.tensor.parallel. ColwiseParallel cuts the rows of a
 * Linear's weight (its output features) and its bias, RowwiseParallel the columns of the weight. Parameters of modules
 * outside the plan are whole on every rank. Read by partition.ts and mode.ts.
 */
import type { Axis } from '../../../protocol/mesh';
import { type Placement, REPLICATE, shard } from '../../../sharding/placement';

export type Style = 'colwise' | 'rowwise';

export interface Plan {
  /** Of the mesh, along which tensors are cut. */
  readonly axis: Axis;
  /** By the path of a module: '0'. */
  readonly styles: ReadonlyMap<string, Style>;
}

/** Of a parameter, by its name in the state_dict. */
export function placementOf({ styles }: Plan, parameter: string): Placement {
  const dot = parameter.lastIndexOf('.');
  const style = styles.get(parameter.slice(0, dot));
  if (style === 'colwise') return shard(0);
  return style === 'rowwise' && parameter.slice(dot + 1) === 'weight' ? shard(1) : REPLICATE;
}
