/**
 * From a Config to everything that a run needs and that does not change while it runs. Deterministic: the same Config
 * gives the same blueprint anywhere. Builds no device. Its parts are files of blueprint/: what is drawn (start), the
 * order of batches, the Programs, and what each step takes from the host (feeds).
 */
import { configNotices } from '../config/config-notices';
import type { BatchSource, BatchState } from '../data/batch-source';
import type { Dataset } from '../data/dataset';
import type { DeviceMesh } from '../mesh/device-mesh';
import type { InitialBuffer, InitialParameter } from '../nn/model';
import { describe, type RunFacts } from '../parallel/describe';
import type { ModeInput, ModeStop, ParallelMode } from '../parallel/mode';
import { PARALLEL_MODES } from '../parallel/modes';
import { stageGraph } from '../parallel/stage-graph';
import type { Program } from '../program/instruction';
import type { Config } from '../protocol/config';
import type { Notice } from '../protocol/notice';
import type { Files } from '../protocol/session';
import type { Rank } from '../protocol/trace';
import type { DatasetTable } from '../runtime/launch/world';
import type { ShardMap } from '../sharding/shard-map';
import type { Generator } from '../tensor/generator';
import { createBatches } from './blueprint/batches';
import { createFeeds, type Feeds } from './blueprint/feeds';
import { planOf } from './blueprint/plan';
import { failureNoticesOf, optimizerNoticesOf } from './blueprint/rare-notices';
import { RESUMING } from './blueprint/resuming-part';
import { drawModel, tableOf } from './blueprint/start';
import type { ResumePlan } from './checkpoint/resume-plan';
import { HOST_MEMORY, isLarge } from './host-memory-part';
import { checkShards } from './weights/check-shards';
import { withStates } from './weights/state-shards';

export interface Blueprint extends Feeds {
  readonly config: Config;
  readonly notices: readonly Notice[];
  readonly dataset: Dataset;
  /** The generator after the data is drawn and split, before the model is. */
  readonly generatorAfterData: Generator;
  readonly table: DatasetTable;
  /** Rank 0's. */
  readonly parameters: readonly InitialParameter[];
  /** Each rank's own, where they have drawn with seeds of their own. */
  readonly parametersOfRanks: readonly (readonly InitialParameter[])[];
  /** Running statistics and the like, at their start. */
  readonly buffers: readonly InitialBuffer[];
  readonly mode: ParallelMode;
  readonly input: ModeInput;
  /** The processes as a grid; it says whose batch each takes and which report a loss. */
  readonly mesh: DeviceMesh;
  readonly rankOfDevice: readonly Rank[];
  /** Which devices fail together: processes of the run, numbered as ranks. Those of the mesh in most modes. */
  readonly processOfDevice: readonly Rank[];
  /** The usual one first, then the others that occur (step-kinds.ts), and those beside the steps. */
  readonly programs: readonly Program[];
  /** Programs of the single-device reference; empty when none is wanted. */
  readonly reference: readonly Program[];
  /** Which device holds which piece of each parameter and buffer, of its gradient and of its optimiser's states. */
  readonly shards: ShardMap;
  readonly referenceShards: ShardMap;
  /** Micro-batches in an epoch. */
  readonly batchesPerEpoch: number;
  readonly facts: RunFacts;
  /** Where the script would end, whatever is asked for. */
  readonly stop: ModeStop | undefined;
  /** Where the run begins, if not at step 0. */
  readonly resume: ResumePlan | undefined;
  /** The order of batches from step 0, or on from where another one was. */
  batches(from?: BatchState): BatchSource;
}

/** `mode`: one that no setting names, of a test. */
export function createBlueprint(
  given: Config,
  files: Files,
  mode: ParallelMode = PARALLEL_MODES[given.mode],
): Blueprint {
  const plan = planOf(given, files, mode);
  const { config, mesh, dataset, input, rules, referenceRules, programs, reference } = plan;
  const { sizes, batchesPerEpoch, schedule } = plan;
  if (config.device === 'cpu' && isLarge(config)) HOST_MEMORY.now()?.checkCpuMemory(config, [programs, reference]);
  const start = drawModel({ config: given, files, mode, mesh }, plan);
  const { parameters, buffers, saved } = start;
  const { batches, noteMasks } = createBatches({ config, mode, mesh }, start);
  for (const program of programs) noteMasks(program);

  const names = parameters.map((p) => p.name);
  const shardsOf = (own: ParallelMode, ownPrograms: readonly Program[]): ShardMap => {
    const whole = own.shards(config, [...parameters, ...buffers]);
    checkShards(whole, ownPrograms);
    return withStates(whole, config, names);
  };
  const shards = shardsOf(mode, programs);
  const referenceShards = shardsOf(PARALLEL_MODES.single, reference);
  const stage = stageGraph(input, { rows: 2, withLoss: true });
  const noticeInput = { given, config, schedule, input, stage, rows: sizes.full };
  const resume =
    saved &&
    RESUMING.get().resumePlan({
      saved,
      config,
      mode,
      parameters: names,
      programs,
      reference,
      shards,
      referenceShards,
      worldSize: mesh.devices.length,
      processes: mesh.dataIndices,
      batchesPerEpoch,
      batches,
    });
  const noticed = {
    ...{ config, programs, parameters: names },
    ...{ devices: mesh.devices.length, processes: mesh.worldSize },
  };
  const fileNotices = config.weights === undefined ? [] : RESUMING.get().prefixNotices(config.weights, files);
  return {
    config,
    notices: [
      ...failureNoticesOf(noticed),
      ...configNotices(config, mode),
      ...(mode.notices?.(noticeInput) ?? []),
      ...optimizerNoticesOf(noticed),
      ...(resume?.notices ?? fileNotices),
    ],
    ...start,
    table: tableOf(dataset),
    mode,
    input,
    mesh,
    rankOfDevice: mesh.rankOfDevice,
    processOfDevice: mode.face.failsByDevice ? mesh.devices : mesh.rankOfDevice,
    programs,
    reference,
    shards,
    referenceShards,
    batchesPerEpoch,
    facts: describe(
      { mode, input, stage },
      programs.map(({ kind }) => kind),
    ),
    stop: mode.stop?.(noticeInput),
    resume,
    batches,
    ...createFeeds({ input, mode, mesh, schedule, rules, referenceRules }),
  };
}
