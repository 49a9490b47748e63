/** What is legal but worth saying before a run starts. Each notice has a stable id. */

import { chunkSizes } from '../data/chunk';
import type { Config } from '../protocol/config';
import type { Notice } from '../protocol/session';

export function configNotices(
  config: Config,
  found: { readonly outputs: number; readonly rows: number; readonly processes: number },
): readonly Notice[] {
  const notices: Notice[] = [];
  const { batchSize, worldSize, mode } = config;
  const used = found.rows * found.processes;
  if (mode === 'ddp' && used < batchSize && batchSize % worldSize !== 0) {
    notices.push({
      level: 'info',
      id: 'batch-uneven',
      text: `A batch of ${batchSize} does not divide by ${worldSize} ranks: each rank trains on ${found.rows}, ${used} together.`,
      hint: `Choose a multiple of ${worldSize} to compare with the other modes sample for sample.`,
    });
  }
  if (mode === 'dataParallel') {
    const chunks = chunkSizes(Math.min(batchSize, found.rows), worldSize).length;
    if (chunks < worldSize) {
      notices.push({
        level: 'info',
        id: 'fewer-chunks',
        text: `torch.chunk cuts ${found.rows} samples into ${chunks} chunks for ${worldSize} devices: ${worldSize - chunks} ${worldSize - chunks === 1 ? 'device stays' : 'devices stay'} idle.`,
        hint: 'DataParallel uses as many replicas as there are chunks.',
      });
    }
  }
  if (config.loss.reduction === 'sum' && mode === 'ddp' && worldSize > 1) {
    notices.push({
      level: 'warning',
      id: 'sum-loss',
      text: `DDP averages gradients, so a summed loss gives 1/${worldSize} of the single-device gradient.`,
      hint: 'Use reduction "mean", or multiply the loss by the world size.',
    });
  }
  return notices;
}
