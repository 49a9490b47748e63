/**
 * What TensorFlow does otherwise than the run, as comments above the script; only what concerns this run. Called by
 * script.ts.
 */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import type { StrategyOfRun } from '../../protocol/strategy';

export function notes(config: Config, { strategy, synchronizedNorms, notes: ofMode = [] }: StrategyOfRun): string[] {
  const { model, optimizer, accumulate, paramGroups } = config;
  const replicates = strategy.includes('Mirrored');
  const norms = batchNorms(model.layers) > 0;
  const left = [
    ...(['weights', 'resume', 'checkpointSegments'] as const).filter((name) => config[name] !== undefined),
    ...(config.precision === 'float32' ? [] : ['precision']),
    ...(config.gradScaler.enabled ? ['gradScaler'] : []),
  ];
  return [
    "Initial weights, shuffles, dropout masks and numbers are TensorFlow's own, so the losses are not those of the run.",
    ...(replicates
      ? ['Each batch is divided over the replicas; a short last batch counts by the part of a full one that it has.']
      : []),
    ...ofMode,
    ...(norms && replicates && synchronizedNorms !== true
      ? ['BatchNormalization takes the statistics of each replica by itself unless synchronized=True.']
      : []),
    ...(optimizer.type === 'SGD' ? [] : ['The optimizer adds epsilon in another place than torch does.']),
    ...(config.clipGradNorm !== undefined && replicates
      ? ['global_clipnorm clips the gradient of each replica, before the sum.']
      : []),
    ...(accumulate > 1 ? [`A step takes the rows of its ${accumulate} micro-batches at once.`] : []),
    ...(paramGroups.length > 0
      ? ['The run has paramGroups; a Keras optimizer has the same settings for all of its variables.']
      : []),
    ...(left.length > 0 ? [`Not taken over: ${left.join(', ')}.`] : []),
  ];
}
