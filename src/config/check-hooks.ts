/**
 * Communication hooks, SyncBatchNorm and the parameter server: rejects incompatible settings; warns about ones that
 * have no effect or behave unexpectedly. Called by parse-config.ts and config-notices.ts.
 */
import { LockstepError } from '../base/errors';
import { chunkSizes } from '../data/chunk';
import type { Config, LayerConfig } from '../protocol/config';
import type { Notice } from '../protocol/session';

export function checkHooks(config: Config): void {
  const { mode, ddp, accumulate, worldSize, parameterServer } = config;
  const refuse = (message: string, hint: string): never => {
    throw new LockstepError('config', message, hint);
  };
  if (mode === 'parameterServer' && worldSize > 1 && !parameterServer.synchronous && accumulate > 1) {
    refuse(
      `accumulate: ${accumulate} has no meaning where each worker's gradient is applied by itself.`,
      'Set accumulate to 1, or parameterServer.synchronous to true.',
    );
  }
  if (mode !== 'ddp') return;
  const hook = ddp.commHook;
  if (hook.type === 'powerSGD' && (hook.useErrorFeedback || hook.warmStart) && hook.startPowerSGDIter <= 1) {
    refuse(
      'Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD can only be applied after the first two iterations in DDP.',
      'Set startPowerSGDIter to 2 or more, or turn both off.',
    );
  }
  const reducesAlways = accumulate > 1 && (ddp.noSync === 'backward' || ddp.noSync === 'none');
  if ((hook.type === 'powerSGD' || hook.type === 'localSGD') && reducesAlways) {
    refuse(
      `ddp.noSync: with "${ddp.noSync}" every micro-batch is reduced, and ${hook.type} counts its steps by reductions.`,
      'Take noSync "both" or "forward", or set accumulate to 1.',
    );
  }
  if (ddp.syncBatchNorm && ddp.join && normLayers(config.model.layers) > 0) {
    refuse(
      'ddp.syncBatchNorm: its collectives in the forward pass have no shadow on ranks that have joined.',
      'PyTorch asks for join(throw_on_early_termination=True) there; turn join off, or use plain BatchNorm.',
    );
  }
}

const normLayers = (layers: readonly LayerConfig[]): number =>
  layers.reduce((n, layer) => {
    const own = layer.type === 'BatchNorm1d' || layer.type === 'BatchNorm2d' ? 1 : 0;
    const inside = layer.type === 'Residual' ? normLayers([...layer.layers, ...(layer.shortcut ?? [])]) : 0;
    return n + own + inside;
  }, 0);

export function hookNotices(config: Config, rows: number): readonly Notice[] {
  if (config.mode === 'parameterServer') return serverNotices(config, rows);
  return config.mode === 'ddp' ? ddpHookNotices(config) : [];
}

function ddpHookNotices({ ddp, worldSize, model }: Config): readonly Notice[] {
  const notices: Notice[] = [];
  const say = (id: string, text: string, hint = '') => notices.push({ level: 'info', id, text, hint });
  const { commHook } = ddp;
  if (commHook.type !== 'allreduce' && worldSize === 1)
    say(
      'no-effect-hook',
      `ddp.commHook: ${commHook.type} has no effect: one rank has nobody to exchange gradients with.`,
      'Use more ranks.',
    );
  if (commHook.type === 'localSGD') {
    if (commHook.period === 1)
      say(
        'local-sgd-period',
        'When period is 1, no need to use model averaging because the communication cost of all-reducing parameters will be no less than the cost of all-reducing gradients by DistributedDataParallel in the backward pass. Therefore, only DistributedDataParallel should be used for this case.',
      );
    say(
      'local-sgd-differ',
      'Between two averages each rank trains by itself: their weights differ, and the page shows the model of rank 0.',
    );
  }
  const norms = normLayers(model.layers);
  if (ddp.syncBatchNorm && (norms === 0 || worldSize === 1))
    say(
      'no-effect-sync-batch-norm',
      `ddp.syncBatchNorm has no effect: ${norms === 0 ? 'the model has no BatchNorm' : 'one rank has the whole batch'}.`,
    );
  return notices;
}

function serverNotices({ worldSize, parameterServer }: Config, rows: number): readonly Notice[] {
  const notices: Notice[] = [];
  const say = (id: string, text: string, hint = '') => notices.push({ level: 'info', id, text, hint });
  if (worldSize === 1) {
    say(
      'server-alone',
      'One device: the server trains by itself, as a single device does.',
      'Use two devices or more.',
    );
    return notices;
  }
  const busy = chunkSizes(rows, worldSize - 1).length;
  if (busy < worldSize - 1)
    say(
      'idle-workers',
      `${rows} samples make ${busy} chunks: ${worldSize - 1 - busy} of ${worldSize - 1} workers stay idle.`,
    );
  if (parameterServer.synchronous && parameterServer.staleness !== 1)
    say(
      'no-effect-staleness',
      'parameterServer.staleness has no effect: synchronous workers always compute on the current parameters.',
      'Set parameterServer.synchronous to false.',
    );
  if (!parameterServer.synchronous)
    say(
      'asynchronous-differs',
      `Each step of the run is ${worldSize - 1} steps of the optimizer, one per worker, with gradients that are ${parameterServer.staleness} updates old: the weights are not those of a single device.`,
      'Synchronous workers give the same weights.',
    );
  return notices;
}
