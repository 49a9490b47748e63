/** The rest of DistributedDataParallel's arguments, and what a script around it may do. Loaded when it is opened; the usual ones stand in the cluster panel. */
import { withSetting } from '../edit-config';
import { Choice, ChoiceSetting, FlagSetting, NumberSetting, TextSetting } from '../fields/settings';
import { parseValue } from '../permalink-values';
import { useApp, useController } from '../use-app';

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
      <NumberSetting label="Rank of factors" path="ddp.commHook.matrixApproximationRank" />
      <NumberSetting label="Begins at step" path="ddp.commHook.startPowerSGDIter" />
      <FlagSetting label="Error feedback" path="ddp.commHook.useErrorFeedback" />
      <FlagSetting label="Warm start" path="ddp.commHook.warmStart" />
      <NumberSetting label="Averages every" path="ddp.commHook.period" title="Steps between two averages" />
      <NumberSetting label="Begins at step" path="ddp.commHook.startLocalSGDIter" />
      <FlagSetting label="Unused parameters" path="ddp.findUnusedParameters" title="find_unused_parameters" />
      <FlagSetting label="Static graph" path="ddp.staticGraph" title="static_graph" />
      <FlagSetting label="Bucket views" path="ddp.gradientAsBucketView" title="gradient_as_bucket_view" />
      <FlagSetting label="Sync at construction" path="ddp.initSync" title="init_sync: rank 0's weights are broadcast" />
      <FlagSetting label="Broadcast buffers" path="ddp.broadcastBuffers" title="broadcast_buffers" />
      <FlagSetting label="SyncBatchNorm" path="ddp.syncBatchNorm" title="SyncBatchNorm.convert_sync_batchnorm" />
      <ChoiceSetting label="Seeds" path="ddp.rankSeeds" words={SEEDS} title="Before or after the model is built" />
      <FlagSetting label="set_epoch" path="ddp.setEpoch" title="sampler.set_epoch(epoch) before each epoch" />
      <ChoiceSetting label="In no_sync" path="ddp.noSync" words={NO_SYNC} title="Passes inside model.no_sync()" />
      <TextSetting
        label="Rows of ranks"
        path="ddp.samplesPerRank"
        print={printRows}
        parse={parseRows}
        title="Consecutive rows that each rank owns: 40, 24. “sampler”: equal shares"
      />
      <FlagSetting label="join" path="ddp.join" title="Train inside model.join()" />
      <FlagSetting
        label="Divide by all"
        path="ddp.divideByInitialWorldSize"
        title="divide_by_initial_world_size: join divides by all ranks, not by those that still have rows"
      />
    </>
  );
}
