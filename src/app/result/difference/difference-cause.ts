/**
 * Why the weights of a parallel run are not those of one device: the first cause that the settings name, else rounding.
 * Pure; growth-words.ts holds it against the control.
 */
import type { Config, LayerConfig } from '../../../protocol/config';

export const differenceCause = (config: Config): string => namedCause(config) ?? 'rounding';

/** What the settings make different on purpose; undefined: nothing but the order of sums. */
export function namedCause({
  mode,
  model,
  ddp,
  loss,
  optimizer,
  clipGradNorm,
  clipGradValue,
  parameterServer,
}: Config): string | undefined {
  const parts = mode === 'ddp' || mode === 'dataParallel' || mode === 'parameterServer';
  if (mode === 'parameterServer' && !parameterServer.synchronous)
    return 'workers compute on parameters that others have changed since';
  if (mode === 'ddp') {
    if (!ddp.initSync && ddp.rankSeeds === 'beforeModel') return 'the ranks began with weights of their own';
    if (loss.reduction === 'sum' && !((clipGradNorm ?? clipGradValue) === undefined && ignoresScale(optimizer)))
      return 'gradients of a summed loss are averaged over ranks all the same';
    if (ddp.samplesPerRank && new Set(ddp.samplesPerRank).size > 1)
      return 'ranks with fewer rows count as much as the others';
    if (ddp.commHook.type === 'localSGD') return 'ranks step by themselves between two averages';
    if (ddp.commHook.type !== 'allreduce') return 'the communication hook sends less than the gradients';
  }
  if (parts && model.layers.some(hasBatchNorm) && !(mode === 'ddp' && ddp.syncBatchNorm))
    return 'batch norm takes the statistics of each part of the batch by itself';
  return undefined;
}

/**
 * They divide by the size of the gradients, so that a factor before all of them cancels; what is added to the gradients
 * would not.
 */
const ignoresScale = (optimizer: Config['optimizer']): boolean =>
  optimizer.type === 'AdamW' || (SCALE_FREE.has(optimizer.type) && optimizer.weightDecay === 0);
const SCALE_FREE: ReadonlySet<Config['optimizer']['type']> = new Set(['Adam', 'Adamax', 'NAdam', 'RMSprop']);

const hasBatchNorm = (layer: LayerConfig): boolean => {
  if (layer.type === 'Residual') return [...layer.layers, ...(layer.shortcut ?? [])].some(hasBatchNorm);
  return layer.type.startsWith('BatchNorm');
};
