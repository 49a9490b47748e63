/**
 * The rest of DistributedDataParallel's arguments, and what a script around it may do. Loaded when it is opened; the
 * usual ones stand in the cluster panel.
 */
import { withSetting } from '../edit/edit-config';
import { Choice, ChoiceSetting, FlagSetting, NumberSetting, TextSetting } from '../fields/settings';
import { parseValue } from '../permalink/permalink-values';
import { useApp, useController } from '../state/use-app';

const HOOKS = {
  allreduce: 'all-reduce',
  fp16Compress: 'fp16 compress',
  bf16Compress: 'bf16 compress',
  powerSGD: 'PowerSGD',
  localSGD: 'local SGD',
} as const;
const SEEDS = { same: 'the same', beforeModel: 'seed + rank, before', afterModel: 'seed + rank, after' } as const;
const NO_SYNC = { both: 'forward, backward', forward: 'forward', backward: 'backward', none: 'neither' } as const;

/** "40, 24"; empty: the DistributedSampler's shares. */
const printRows = (value: unknown) => (Array.isArray(value) ? value.join(', ') : 'sampler');
const parseRows = (text: string) =>
  text === '' || text === 'sampler' ? undefined : (parseValue(`!(${text.replaceAll(' ', '')})`) ?? text);

export function DdpPanel() {
  const config = useApp((app) => app.config);
  const controller = useController();
  const chooseHook = (type: string) => {
    const edit = withSetting(config, ['ddp', 'commHook'], { type });
    if (edit.ok) controller.apply(edit.config);
  };
  return (
    <>
      <Choice
        label="Hook"
        words={HOOKS}
        value={config.ddp.commHook.type}
        onChange={chooseHook}
        title="register_comm_hook: what happens to a bucket"
      />
      <NumberSetting
        label="Approximation rank"
        path="ddp.commHook.matrixApproximationRank"
        title="matrix_approximation_rank: columns of PowerSGD's factors P and Q; more: closer, and more bytes"
      />
      <NumberSetting
        label="Start PowerSGD at step"
        path="ddp.commHook.startPowerSGDIter"
        title="start_powerSGD_iter: before it, plain all-reduces"
      />
      <FlagSetting
        label="Error feedback"
        path="ddp.commHook.useErrorFeedback"
        title="use_error_feedback: what compression lost is added to the next gradient"
      />
      <FlagSetting
        label="Warm start"
        path="ddp.commHook.warmStart"
        title="warm_start: begins with the factors of the last step"
      />
      <NumberSetting
        label="Average every, steps"
        path="ddp.commHook.period"
        title="period: steps from one averaging of the parameters to the next"
      />
      <NumberSetting
        label="Start local SGD at step"
        path="ddp.commHook.startLocalSGDIter"
        title="start_localSGD_iter: before it, every gradient is all-reduced"
      />
      <FlagSetting
        label="Unused parameters"
        path="ddp.findUnusedParameters"
        title="find_unused_parameters: walks the graph after each forward, marks parameters without a gradient as ready, and all-reduces a map of the used ones each step"
      />
      <FlagSetting
        label="Static graph"
        path="ddp.staticGraph"
        title="static_graph: promises that every step uses the same parameters in the same graph. DDP then learns the order and the unused ones from the first step, and allows re-entrant checkpointing"
      />
      <FlagSetting
        label="Bucket views"
        path="ddp.gradientAsBucketView"
        title="gradient_as_bucket_view: .grad is a view into its bucket, which saves the memory of all gradients once and the copy back. With zero_grad(set_to_none=True), the default since 2.0, the copy into the bucket remains"
      />
      <FlagSetting
        label="Sync at construction"
        path="ddp.initSync"
        title="init_sync (PyTorch 2.7 and later): the constructor broadcasts rank 0's parameters and buffers"
      />
      <FlagSetting
        label="Broadcast buffers"
        path="ddp.broadcastBuffers"
        title="broadcast_buffers: rank 0's buffers (BatchNorm's running statistics) are broadcast before each forward that follows a reduction"
      />
      <FlagSetting
        label="SyncBatchNorm"
        path="ddp.syncBatchNorm"
        title="SyncBatchNorm.convert_sync_batchnorm: mean and variance over the batches of all ranks, by collectives in forward and backward"
      />
      <ChoiceSetting
        label="Seeds"
        path="ddp.rankSeeds"
        words={SEEDS}
        title="torch.manual_seed. The same: all ranks draw the same dropout masks. seed + rank before the model is built: different initial weights, too; after: only different masks"
      />
      <FlagSetting label="set_epoch" path="ddp.setEpoch" title="sampler.set_epoch(epoch) before each epoch" />
      <ChoiceSetting
        label="no_sync covers"
        path="ddp.noSync"
        words={NO_SYNC}
        title="Which passes of the micro-batches before the last run inside model.no_sync(). DDP decides in forward"
      />
      <TextSetting
        label="Data split"
        path="ddp.samplesPerRank"
        print={printRows}
        parse={parseRows}
        title="Consecutive rows that each rank owns: 40, 24. “sampler”: equal shares by a DistributedSampler, which repeats its first rows where they do not divide; these count twice, in metrics, too"
      />
      <FlagSetting
        label="join"
        path="ddp.join"
        title="Train inside model.join(): ranks that have run out of rows take part in the others' collectives with zeros"
      />
      <FlagSetting
        label="Divide by initial world size"
        path="ddp.divideByInitialWorldSize"
        title="divide_by_initial_world_size: under join() gradients are divided by the number of all ranks, not of those that still have rows"
      />
    </>
  );
}
