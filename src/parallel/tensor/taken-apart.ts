/**
 * The parameters that DDP takes out of DTensors, which changes the order in which their gradients are ready. Called by
 * the modes tensor and pipeline.
 */
import type { Config } from '../../protocol/config';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { StageGraph } from '../stage-graph';
import { entryOfModule } from './plan';

/** The parameters of the modules that the plan names. Only PowerSGD's numbers depend on the buckets. */
export function takenApart(config: Config, parameters: StageGraph['parameters']): Pick<StageGraph, 'takenApart'> {
  if (meshSizes(config).tp === 1 || config.ddp.commHook.type !== 'powerSGD') return {};
  const entryOf = entryOfModule(config);
  const names = parameters.map(({ name }) => name);
  return { takenApart: new Set(names.filter((name) => entryOf(name.slice(0, name.lastIndexOf('.'))) !== undefined)) };
}
