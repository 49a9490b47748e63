/**
 * The less common arguments of DistributedDataParallel, and options of the script around it. Loaded when it is opened;
 * the common arguments are in the cluster panel.
 */
import { DDP, HOOK } from '../../protocol/words/ddp';
import { RUN } from '../../protocol/words/run';
import { withSetting } from '../edit/edit-config';
import { Choice, ChoiceSetting, FlagSetting, ListSetting, NumberSetting } from '../fields/settings';
import { useController } from '../run/use-controller';
import { useApp } from '../state/use-app';

const HOOKS = {
  allreduce: 'all-reduce',
  fp16Compress: 'fp16 compress',
  bf16Compress: 'bf16 compress',
  powerSGD: 'PowerSGD',
  localSGD: 'local SGD',
} as const;
const SEEDS = { same: 'the same', beforeModel: 'seed + rank, before', afterModel: 'seed + rank, after' } as const;
const READERS = { everyRank: 'every rank', rank0: 'rank 0' } as const;
const NO_SYNC = { both: 'forward, backward', forward: 'forward', backward: 'backward', none: 'neither' } as const;

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
        label={DDP.commHook.title}
        title={DDP.commHook.description}
        words={HOOKS}
        value={config.ddp.commHook.type}
        onChange={chooseHook}
      />
      <NumberSetting {...HOOK.matrixApproximationRank} />
      <NumberSetting {...HOOK.startPowerSGDIter} />
      <NumberSetting {...HOOK.minCompressionRate} />
      <FlagSetting {...HOOK.useErrorFeedback} />
      <FlagSetting {...HOOK.warmStart} />
      <NumberSetting {...HOOK.period} />
      <NumberSetting {...HOOK.startLocalSGDIter} />
      <FlagSetting {...DDP.findUnusedParameters} />
      <FlagSetting {...DDP.staticGraph} />
      <FlagSetting {...DDP.gradientAsBucketView} />
      <FlagSetting {...DDP.initSync} />
      <FlagSetting {...DDP.broadcastBuffers} />
      <FlagSetting {...DDP.syncBatchNorm} />
      <ChoiceSetting {...DDP.rankSeeds} words={SEEDS} />
      <FlagSetting {...DDP.setEpoch} />
      <ChoiceSetting {...DDP.noSync} words={NO_SYNC} />
      <ListSetting {...DDP.samplesPerRank} absent="sampler" example="40, 24" />
      <FlagSetting {...DDP.join} />
      <FlagSetting {...DDP.divideByInitialWorldSize} />
      <ChoiceSetting {...RUN.resumeBy} words={READERS} />
    </>
  );
}
