/**
 * Makes a blueprint from a Config: everything that a run needs and that stays constant during the run. Deterministic:
 * the same Config gives the same blueprint anywhere. Opens no device. Its parts are in blueprint/: the drawn data and
 * model (start), the order of batches, the Programs, and the host's input to each step (feeds).
 */
import { configNotices } from '../config/config-notices';
import type { BatchSource, BatchState } from '../data/batch-source';
import type { Dataset } from '../data/dataset';
import type { DeviceMesh } from '../mesh/device-mesh';
import type { InitialBuffer, InitialParameter } from '../nn/model';
import type { ModeStop } from '../parallel/facets/mode-checks';
import type { ModeFacets } from '../parallel/facets/mode-facets';
import type { ParallelMode } from '../parallel/mode';
import type { ModeInput } from '../parallel/mode-input';
import { PARALLEL_MODES } from '../parallel/modes';
import { describe, type RunFacts } from '../parallel/run-facts';
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
import { planOf, type RunPlanOptions } from './blueprint/plan';
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
  /** The generator after the data was drawn and split, before the model is drawn. */
  readonly generatorAfterData: Generator;
  readonly table: DatasetTable;
  /** Initial parameters of rank 0. */
  readonly parameters: readonly InitialParameter[];
  /** Initial parameters by rank, if the ranks have different seeds. */
  readonly parametersOfRanks: readonly (readonly InitialParameter[])[];
  /** Initial running statistics and similar buffers. */
  readonly buffers: readonly InitialBuffer[];
  readonly mode: ParallelMode;
  /** What the mode makes of this run. */
  readonly facets: ModeFacets;
  readonly input: ModeInput;
  /** The processes as a grid; it says which processes share a batch and which report a loss. */
  readonly mesh: DeviceMesh;
  readonly rankOfDevice: readonly Rank[];
  /**
   * The process of each device, numbered like ranks: devices of one process fail together. In most modes the mesh's
   * ranks.
   */
  readonly processOfDevice: readonly Rank[];
  /**
   * The Program of the usual step first, then those of the other step kinds (step-kinds.ts), then those that run
   * outside steps.
   */
  readonly programs: readonly Program[];
  /** Programs of the single-device reference; empty without a reference. */
  readonly reference: readonly Program[];
  /** Which device holds which piece of each parameter and buffer, of its gradient and of its optimiser's states. */
  readonly shards: ShardMap;
  readonly referenceShards: ShardMap;
  /** Micro-batches in an epoch. */
  readonly batchesPerEpoch: number;
  readonly facts: RunFacts;
  /** Where the script would end even if asked to continue. */
  readonly stop: ModeStop | undefined;
  /** Where the run begins, if it resumes. */
  readonly resume: ResumePlan | undefined;
  /** The batches in order from step 0, or from the state of another source. */
  batches(from?: BatchState): BatchSource;
}

export function createBlueprint(given: Config, files: Files, options: RunPlanOptions = {}): Blueprint {
  const plan = planOf(given, files, options);
  const { mode = PARALLEL_MODES[given.mode] } = options;
  const { config, mesh, facets, dataset, input, rules, referenceRules, programs, reference } = plan;
  const { sizes, batchesPerEpoch, schedule } = plan;
  if (config.device === 'cpu' && isLarge(config)) HOST_MEMORY.now()?.checkCpuMemory(config, [programs, reference]);
  const start = drawModel({ config: given, files, facets, mesh }, plan);
  const { parameters, buffers, saved } = start;
  const { batches, noteMasks } = createBatches({ config, facets, mesh }, start);
  for (const program of programs) noteMasks(program);

  const names = parameters.map((p) => p.name);
  const shardsOf = ({ place }: ModeFacets, ownPrograms: readonly Program[]): ShardMap => {
    const whole = place.shards(config, [...parameters, ...buffers]);
    checkShards(whole, ownPrograms);
    return withStates(whole, config, names);
  };
  const shards = shardsOf(facets, programs);
  const referenceShards = shardsOf(PARALLEL_MODES.single.facets(config), reference);
  const stage = stageGraph(input, { rows: 2, withLoss: true });
  const noticeInput = { given, config, schedule, input, stage, rows: sizes.full };
  const resume =
    saved &&
    RESUMING.get().resumePlan({
      saved,
      config,
      mode,
      facets,
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
      ...(facets.checks.notices?.(noticeInput) ?? []),
      ...optimizerNoticesOf(noticed),
      ...(resume?.notices ?? fileNotices),
    ],
    ...start,
    table: tableOf(dataset),
    mode,
    facets,
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
      { facets, mesh, input, stage },
      programs.map(({ kind }) => kind),
    ),
    stop: facets.checks.stop?.(noticeInput),
    resume,
    batches,
    ...createFeeds({ input, facets, mesh, schedule, rules, referenceRules }),
  };
}
