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
    "TensorFlow draws its own initial weights, shuffles and dropout masks and rounds differently, so its losses differ from the run's.",
    ...(replicates
      ? [
          'Each batch is divided over the replicas; a last batch with fewer rows counts less, in proportion to its rows.',
        ]
      : []),
    ...ofMode,
    ...(norms && replicates && synchronizedNorms !== true
      ? ['Without synchronized=True, BatchNormalization uses the statistics of one replica.']
      : []),
    ...(optimizer.type === 'SGD' ? [] : ['The optimizer adds epsilon in another place than torch does.']),
    ...(config.clipGradNorm !== undefined && replicates
      ? ['global_clipnorm clips the gradient of each replica, before the sum.']
      : []),
    ...(accumulate > 1 ? [`A step takes the rows of its ${accumulate} micro-batches at once.`] : []),
    ...(paramGroups.length > 0
      ? ['The run has paramGroups; a Keras optimizer has the same settings for all of its variables.']
      : []),
    ...(left.length > 0 ? [`Left out of this script: ${left.join(', ')}.`] : []),
  ];
}
