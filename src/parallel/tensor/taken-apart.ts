/**
 * The order in which DDP's hooks run around layers that a plan cuts: DDP takes plain tensors out of DTensors. Only
 * PowerSGD's numbers depend on this order, which decides the buckets. Called by the modes tensor and pipeline.
 */
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import { readyOrder } from '../ddp/ready-order';
import type { ParameterRef, StageGraph } from '../stage-graph';
import { entryOfModule } from './plan';

/**
 * The nodes that turn local tensors into DTensors are made before all others of the forward pass, in the order of
 * registration, so autograd comes to them last: first the parameters of modules that the plan does not name.
 */
export function takenApart(config: Config, stage: StageGraph): StageGraph {
  if (meshSizes(config).tp === 1 || config.ddp.commHook.type !== 'powerSGD') return stage;
  const entryOf = entryOfModule(config);
  const isTaken = ({ name }: ParameterRef): boolean => entryOf(name.slice(0, name.lastIndexOf('.'))) !== undefined;
  const rest = readyOrder(stage).filter((p) => !isTaken(p));
  return { ...stage, hookOrder: [...rest, ...stage.parameters.filter(isTaken).reverse()] };
}
