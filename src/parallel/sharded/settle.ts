/** Completes the settings of a sharded run and refuses those that do not fit its mesh. Called by axes/. */
import { refusedSettings } from '../../base/refused-settings';
import type { Config } from '../../protocol/config';
import { meshSizes, openAxis } from '../../protocol/mesh-sizes';
import { withDdpOfParts } from '../ddp/around-parts';
import { checkDevices } from '../even-mesh';
import type { ModeInput } from '../mode-input';
import { withCuts } from '../tensor/cuts-beside';
import { checkPolicy } from './check-policy';
import { NO_DDP } from './no-ddp';
import { checkUnits } from './units';

/** Stages 2 and 3. */
export function settleShards(input: ModeInput): Config {
  const { config } = input;
  checkShards(config);
  checkReshardTo(config);
  return withCuts({ ...input, config: withDdpOfParts(config, NO_DDP) });
}

/** Stages 0 and 1. */
export function settleZero({ config }: ModeInput): Config {
  checkShards(config);
  if (config.sharded.stage === 1) checkZeroOne(config);
  checkWholeLayers(config);
  return config;
}

function checkShards(config: Config): void {
  checkDevices(config, openAxis(config.mode) === 'tp' ? 'a layer' : 'a replica');
  checkPolicy(config);
  checkUnits(config);
}

function checkWholeLayers(config: Config): void {
  const { tp } = meshSizes(config);
  if (tp === 1) return;
  throw refusedSettings({
    settings: { 'sharded.stage': config.sharded.stage, 'mesh.tp': tp },
    why: 'only fully_shard, which is stage 2 or 3, shards layers that tp cuts',
    hint: 'Set sharded.stage to 2 or 3; DistributedDataParallel around cut layers is mode "tensor" with mesh.dpReplicate.',
  });
}

function checkReshardTo(config: Config): void {
  const { stage, reshardTo } = config.sharded;
  const { dpShard } = meshSizes(config);
  if (reshardTo === undefined || stage < 3 || dpShard % reshardTo === 0) return;
  throw refusedSettings({
    settings: { 'sharded.reshardTo': reshardTo, 'mesh.dpShard': dpShard },
    why: `PyTorch: “If passing reshard_after_forward as an int, it should be a factor of ${dpShard}, not ${reshardTo}”`,
    hint: 'Leave sharded.reshardTo out, or choose a number that divides the shards.',
  });
}

/**
 * ZeroRedundancyOptimizer broadcasts the parameters that each rank stepped, so all ranks must have the same gradients.
 */
function checkZeroOne({ sharded, ddp }: Config): void {
  const alone = ddp.join
    ? { 'ddp.join': true }
    : ddp.commHook.type === 'localSGD'
      ? { 'ddp.commHook': 'localSGD' }
      : undefined;
  if (!alone) return;
  throw refusedSettings({
    settings: { 'sharded.stage': sharded.stage, ...alone },
    why: 'each rank steps its share of the parameters for all ranks, so all of them must take part in every step',
    hint: 'Leave the setting out, or set sharded.stage to 0.',
  });
}
