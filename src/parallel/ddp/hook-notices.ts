/** Notices about communication hooks and SyncBatchNorm. Called by notices.ts. */
import type { Config } from '../../protocol/config';
import { batchNorms } from '../../protocol/config/layer-kinds';
import type { Notice } from '../../protocol/notice';

export function hookNotices({ ddp, worldSize, model }: Config): readonly Notice[] {
  const notices: Notice[] = [];
  const say = (id: string, text: string, hint = '') => notices.push({ level: 'info', id, text, hint });
  const { commHook } = ddp;
  if (commHook.type !== 'allreduce' && worldSize === 1)
    say(
      'hook-of-one-rank',
      commHook.type === 'localSGD'
        ? 'ddp.commHook: localSGD has no effect: one rank has nobody to average parameters with.'
        : `ddp.commHook: ${commHook.type} saves nothing: one rank sends no gradients. As in torch, the hook still compresses the gradients, so they lose accuracy.`,
      'Use more ranks.',
    );
  if (commHook.type === 'localSGD') {
    // As in torch, whatever the number of ranks.
    if (commHook.period === 1)
      say(
        'local-sgd-period',
        'When period is 1, no need to use model averaging because the communication cost of all-reducing parameters will be no less than the cost of all-reducing gradients by DistributedDataParallel in the backward pass. Therefore, only DistributedDataParallel should be used for this case.',
      );
    if (worldSize > 1)
      say(
        'local-sgd-differ',
        'Between two averages each replica trains by itself, so the weights of the replicas differ. The page shows the model of the first replica.',
      );
  }
  const norms = batchNorms(model.layers);
  if (ddp.syncBatchNorm && (norms === 0 || worldSize === 1))
    say(
      'no-effect-sync-batch-norm',
      `ddp.syncBatchNorm has no effect: ${norms === 0 ? 'the model has no BatchNorm' : 'one rank has the whole batch'}.`,
    );
  return notices;
}
