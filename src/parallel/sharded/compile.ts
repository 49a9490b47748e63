/**
 * The step of a sharded run. From stage 2 on, it is a single device's step with FSDP's units as its sync; stages 0 and
 * 1 are DDP's step. Called by axes/.
 */
import { at } from '../../base/invariant';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { parameterList } from '../../nn/model';
import { ProgramBuilder } from '../../program/builder';
import type { Program } from '../../program/instruction';
import type { TrainingKind } from '../../protocol/step-kind';
import { emitDdpStep, syncedOver } from '../ddp/ddp-step';
import type { ModeInput } from '../mode-input';
import { placeStages } from '../step/place';
import { emitStep, oneAfterTheOther, wholeGraphs } from '../step/step';
import type { Step } from '../step/walk';
import { partsOfRanks } from '../tensor/cuts-beside';
import { fsdpSync, OPTIMIZES_SHARDS } from './fsdp';
import { unitsOf } from './units';
import { unshardedGraphs } from './unsharded-graph';
import { zeroOne } from './zero-one';

type UnsyncedStep = Pick<Step, 'builder' | 'stages' | 'input' | 'kind'>;

/** Stages 0 and 1. */
export function compileZero(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const step = unsyncedStep(input, kind, mesh);
  const zero = input.config.sharded.stage === 1 ? zeroOneOf(step) : undefined;
  const more = zero ? { isStepped: zero.isStepped, syncsBehind: [zero.sync] } : {};
  emitDdpStep({ ...step, ...more }, kind);
  return step.builder.finish(input.config.mode, kind);
}

/** Stages 2 and 3. */
export function compileShards(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): Program {
  const step = unsyncedStep(input, kind, mesh);
  emitStep(fsdpStep(step));
  return step.builder.finish(input.config.mode, kind);
}

function unsyncedStep(input: ModeInput, kind: TrainingKind, mesh: DeviceMesh): UnsyncedStep {
  const builder = new ProgramBuilder(mesh, input.ops);
  return { builder, stages: placeStages(builder, [0]), input, kind };
}

const zeroOneOf = ({ builder, stages, input, kind }: UnsyncedStep) =>
  zeroOne({ builder, kind, place: at(stages, 0), parameters: parameterList(input.config.model.layers) });

function fsdpStep(step: UnsyncedStep): Step {
  const { builder, stages, input, kind } = step;
  const place = at(stages, 0);
  const { syncEveryPass } = input.config.sharded;
  const passes = {
    ...kind,
    microBatches: kind.microBatches.map((each) => (syncEveryPass ? { ...each, gradients: 'set' as const } : each)),
  };
  const whole = wholeGraphs(input, passes, {
    syncedIn: ({ rows }) => syncedOver(input.config, place, rows),
    partitionOf: partsOfRanks(input.config, builder.mesh),
  });
  const graphOf = unshardedGraphs(whole, syncEveryPass ? 'microBatch' : 'run');
  const sync = fsdpSync({ builder, input, kind, place, units: unitsOf(input.config) });
  return {
    ...step,
    order: oneAfterTheOther(kind),
    syncs: [sync],
    graphOf,
    ...OPTIMIZES_SHARDS,
  };
}
