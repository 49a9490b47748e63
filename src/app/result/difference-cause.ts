/** Why the weights of a parallel run are not those of one device: the first cause that the settings name, else rounding. Pure. */
import type { Config, LayerConfig } from '../../protocol/config';

export function differenceCause({ mode, model, ddp, loss, parameterServer }: Config): string {
  const parts = mode === 'ddp' || mode === 'dataParallel' || mode === 'parameterServer';
  if (mode === 'parameterServer' && !parameterServer.synchronous)
    return 'workers compute on parameters that others have changed since';
  if (mode === 'ddp') {
    if (!ddp.initSync && ddp.rankSeeds === 'beforeModel') return 'the ranks began with weights of their own';
    if (loss.reduction === 'sum') return 'gradients of a summed loss are averaged over ranks all the same';
    if (ddp.samplesPerRank && new Set(ddp.samplesPerRank).size > 1)
      return 'ranks with fewer rows count as much as the others';
    if (ddp.commHook.type === 'localSGD') return 'ranks step by themselves between two averages';
    if (ddp.commHook.type !== 'allreduce') return 'the communication hook sends less than the gradients';
  }
  if (parts && model.layers.some(hasBatchNorm) && !(mode === 'ddp' && ddp.syncBatchNorm))
    return 'batch norm takes the statistics of each part of the batch by itself';
  return 'rounding, which training amplifies step by step';
}

const hasBatchNorm = (layer: LayerConfig): boolean => {
  if (layer.type === 'Residual') return [...layer.layers, ...(layer.shortcut ?? [])].some(hasBatchNorm);
  return layer.type.startsWith('BatchNorm');
};
