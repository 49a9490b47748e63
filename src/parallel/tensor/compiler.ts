/**
 * The part of the mode that is loaded when a run needs it. Only mode.ts imports this file. The step is a single
 * device's or DDP's, with each rank's own part of the graph; if the mesh has shards, it is mode sharded's step.
 */
import type { DeviceMesh } from '../../mesh/device-mesh';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { ClosedForm } from '../../protocol/closed-form';
import type { Config } from '../../protocol/config';
import { shardsParameters } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import type { ShardingInfo } from '../../protocol/session-info';
import type { TrainingKind } from '../../protocol/step-kind';
import { type ShardMap, shardMap, type TensorSpec } from '../../sharding/shard-map';
import type { FormPass, RunSizes } from '../closed-form';
import { withDdpOfParts } from '../ddp/around-parts';
import { emitDdpStep } from '../ddp/step';
import { checkDevices, checkNotZeroOne } from '../even-mesh';
import type { NoticeInput } from '../mode';
import type { ModeInput } from '../mode-input';
import {
  compile as compileShards,
  settle as settleShards,
  closedForm as shardedForm,
  notices as shardedNotices,
  shardingInfo,
} from '../sharded/compiler';
import { layoutsOf } from '../sharded/pieces';
import { partitionOf } from '../step/partition-of';
import { placeStages } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import { sumPartials } from '../step/sum-partials';
import { checkPlan } from './check-plan';
import { tensorForm } from './closed-form';
import { DDP_OF_GROUPS } from './ddp-of-groups';
import { tensorNotices } from './notices';
import { planIn, withPlan } from './plan';

export { planInfo } from './plan-info';

export const closedForm = (run: RunSizes, pass: FormPass, mesh: DeviceMesh): ClosedForm =>
  (shardsParameters(run.config) ? shardedForm : tensorForm)(run, pass, mesh);

export const notices = (input: NoticeInput): readonly Notice[] =>
  (shardsParameters(input.config) ? shardedNotices : tensorNotices)(input);

export const sharding = (input: ModeInput, mesh: DeviceMesh): ShardingInfo | undefined =>
  shardsParameters(input.config) ? shardingInfo(input, mesh) : undefined;

export function settle(input: ModeInput): Config {
  if (shardsParameters(input.config)) return settleShards(input);
  checkDevices(input.config, 'a layer');
  checkNotZeroOne(input.config);
  const config = withDdpOfParts(withPlan(input.config), DDP_OF_GROUPS);
  checkPlan({ ...input, config });
  return config;
}

export function shards(config: Config, tensors: readonly TensorSpec[], { devices }: DeviceMesh): ShardMap {
  const layoutOf = layoutsOf(config);
  return shardMap(tensors, (tensor) => layoutOf(tensor, devices));
}

export function compile(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const { config } = input;
  if (shardsParameters(config)) return compileShards(input, kind, mesh);
  const builder = new ProgramBuilder(mesh, input.ops);
  const stages = placeStages(builder, [0]);
  const cuts = partitionOf(planIn(config), mesh);
  const sums = sumPartials({ builder, algorithm: config.ddp.algorithm, stages, kind });
  if (mesh.dataIndices > 1) emitDdpStep({ builder, stages, input, partitionOf: cuts, syncsBehind: [sums] }, kind);
  else {
    const graphOf = wholeGraphs(input, kind, { partitionOf: cuts });
    emitStep({ builder, input, kind, stages, order: oneAfterTheOther(kind), syncs: [sums], graphOf });
  }
  return builder.finish('tensor', kind);
}
