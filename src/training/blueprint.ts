/**
 * From a Config to everything that a run needs and that does not change while it runs: dataset, initial weights,
 * Programs of the mode and of the single-device reference, and the order of batches. Deterministic: the same Config
 * gives the same blueprint anywhere. Builds no device.
 */

import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { Part } from '../base/part';
import { configNotices } from '../config/config-notices';
import { optimizerNotices } from '../config/optimizer-notices';
import { referenceConfig } from '../config/parse-config';
import {
  type BatchSource,
  type BatchState,
  type MaskDraw,
  makeBatchSource,
  type StepBatch,
} from '../data/batch-source';
import { checkTargets, checkTokens, type Dataset } from '../data/dataset';
import { makeDataset } from '../data/make-dataset';
import type { DeviceMesh } from '../mesh/device-mesh';
import { checkModel, type DataShape } from '../nn/check-model';
import { type InitialBuffer, type InitialParameter, initialBuffers } from '../nn/model';
import { tiedNames } from '../nn/tied';
import { makeStepScalars } from '../optim/scalars';
import { describe, type RunFacts } from '../parallel/describe';
import type { ModeInput, ParallelMode, Stop } from '../parallel/mode';
import { PARALLEL_MODES, PROGRAM_OPS } from '../parallel/modes';
import { stageGraph } from '../parallel/stage-graph';
import type { Program } from '../program/instruction';
import { verifyMemory } from '../program/memory-report';
import { verify } from '../program/verifier';
import type { Config } from '../protocol/config';
import { stepOf } from '../protocol/micro-batches';
import type { Files, Notice } from '../protocol/session';
import { programKey, type TrainingKind } from '../protocol/step-kind';
import type { Rank } from '../protocol/trace';
import type { DatasetTable, MicroBatchFeed, StepFeed } from '../runtime/launch/world';
import type { ShardMap } from '../sharding/shard-map';
import { Generator } from '../tensor/generator';
import { elements } from '../tensor/shape';
import { modelFileName } from './checkpoint/checkpoint-format';
import type { ResumePlan } from './checkpoint/resume-plan';
import { failureNotices, linksOf } from './failures/failure-notices';
import { joinedMasks, maskDraws } from './mask-draws';
import { rankStarts } from './rank-starts';
import { allKinds, distinctKinds, joinedKind, kindAt, kindRules, togetherAt } from './step-kinds';
import { checkShards } from './weights/check-shards';
import { withStates } from './weights/state-shards';

/** Loaded for a run with `resume` or `weights`. */
export const RESUMING = new Part('The reader of checkpoints', () => import('./checkpoint/resuming'));
if (!globalThis.LOCKSTEP_SITE) await RESUMING.load();

export interface Blueprint {
  readonly config: Config;
  readonly notices: readonly Notice[];
  readonly dataset: Dataset;
  /** Where the generator stands when the data is drawn and split, and the model is not. */
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
  readonly stop: Stop | undefined;
  /** Where the run begins, if not at step 0. */
  readonly resume: ResumePlan | undefined;
  /** The order of batches from step 0, or on from where another one stood. */
  batches(from?: BatchState): BatchSource;
  /** Which Program a batch runs by itself. */
  kindOf(batch: StepBatch): TrainingKind;
  /** How many micro-batches from that one on one Program holds. */
  togetherAt(microBatch: number): number;
  /** Of one micro-batch, or of as many as one Program holds. */
  feed(batches: readonly StepBatch[]): StepFeed;
  referenceTogetherAt(microBatch: number): number;
  referenceFeed(batches: readonly StepBatch[]): StepFeed;
}

/** `mode`: one that no setting names, of a test. */
export function createBlueprint(
  config: Config,
  files: Files,
  mode: ParallelMode = PARALLEL_MODES[config.mode],
): Blueprint {
  const generator = new Generator(config.seed);
  const dataset = makeDataset(config.data, config.loss, generator, files);
  const generatorAfterData = generator.clone();
  const inputWidth = elements(dataset.inputShape);
  const { inputType } = dataset;
  const targetType = dataset.targets instanceof Int32Array ? 'i32' : 'f32';
  const data: DataShape = {
    input: { shape: dataset.inputShape, dtype: inputType },
    target: { shape: dataset.targetShape, dtype: targetType },
  };
  const outputs = checkModel(config.model.layers, data, config.loss, config.batchSize).at(-1) ?? 1;
  checkTargets(dataset, outputs, ignoreIndexOf(config.loss));
  const vocabulary = vocabularyOf(config.model.layers);
  if (vocabulary !== undefined) checkTokens(dataset, vocabulary);
  const { layers } = config.model;
  const mesh = mode.mesh(config);
  const starts = rankStarts({ config, mode }, generatorAfterData, mesh);
  mode.checkStart?.(starts.parameters);
  const drawn = { parameters: at(starts.parameters, 0), buffers: initialBuffers(layers, config.loss) };
  const saved = config.resume === undefined ? undefined : RESUMING.get().readCheckpoint(config.resume, files);
  const weights = saved ? modelFileName(saved.name) : config.weights;
  const { parameters, buffers } =
    weights === undefined ? drawn : RESUMING.get().initialWeights(weights, files, drawn, tiedNames(layers));

  const microBatch = { ...config, batchSize: microBatchSize(config) };
  const draws = new Map<string, readonly MaskDraw[]>();
  const batches = (from?: BatchState) =>
    makeBatchSource({
      config: microBatch,
      sampler: mode.sampler,
      dataset,
      generator: starts.generators,
      processes: mesh.dataIndices,
      masks: (rows) => draws.get(rows.join()) ?? [],
      from,
    });
  const { sizes, batchesPerEpoch, schedule } = batches();
  mode.checkSchedule?.(config, schedule);
  const input: ModeInput = {
    config,
    ops: PROGRAM_OPS,
    inputShape: dataset.inputShape,
    inputType,
    targetShape: dataset.targetShape,
    targetType,
  };
  const rules = kindRules(config, mode);
  const kinds = allKinds(schedule, rules);
  const programs = kinds.map((kind) => mode.compile(input, kind));
  kinds.forEach((kind, i) => {
    const rows = at(kind.microBatches, 0).rows.join();
    if (kind.microBatches.length === 1 && !draws.has(rows)) draws.set(rows, maskDraws(at(programs, i)));
  });
  const construct = mode.construct?.(input);
  if (construct) programs.push(construct);
  if (saved && config.resumeBy === 'rank0') {
    const broadcast = mode.broadcastState?.(input, RESUMING.get().stateOfRank0(programs));
    if (broadcast) programs.push(broadcast);
  }
  for (const program of programs) verify(program, PROGRAM_OPS);
  verifyMemory(programs, config.memoryBudgetMb * 1024 * 1024);

  const referenceRules = kindRules(config, PARALLEL_MODES.single);
  const referenceInput = { ...input, config: referenceConfig(config) };
  const wantsReference = mode !== PARALLEL_MODES.single && config.compareSingle;
  const reference = wantsReference
    ? distinctKinds(allKinds(schedule, referenceRules).map(joinedKind)).map((kind) =>
        PARALLEL_MODES.single.compile(referenceInput, kind),
      )
    : [];

  const kindOf = ({ microBatch }: StepBatch) => kindAt(microBatch, schedule, rules);
  const stepScalars = makeStepScalars(config);
  const updates = mode.optimizerStepsPerStep?.(config) ?? 1;
  const scalars = ({ microBatch, epoch }: StepBatch, each = 1): Float32Array => {
    const done = stepOf(microBatch, config) * each;
    if (each === 1) return stepScalars(done + 1, epoch);
    return Float32Array.from(Array.from({ length: each }, (_, u) => [...stepScalars(done + u + 1, epoch)]).flat());
  };
  /** A rank that has run out of batches before has taken fewer steps than the others. */
  const behind = new Set(schedule.totals).size > 1;
  const scalarsOfRanks = ({ microBatch }: StepBatch) =>
    schedule.totals.map((_, rank) =>
      stepScalars(
        stepOf(schedule.batchesBefore(rank, microBatch), config) + 1,
        schedule.placeOf(rank, microBatch)?.epoch ?? 0,
      ),
    );
  const drawsOf = mode.noiseForStep?.(input);
  /** Masks, and what the mode draws beside them for every device. */
  const allDraws = ({ microBatch, masks }: StepBatch): MicroBatchFeed['masks'] => {
    const own = drawsOf?.(stepOf(microBatch, config)) ?? [];
    return own.length === 0
      ? masks
      : [...masks, ...mesh.devices.flatMap((device) => own.map((d) => ({ ...d, device })))];
  };
  const names = parameters.map((p) => p.name);
  const shardsOf = (own: ParallelMode, ownPrograms: readonly Program[]): ShardMap => {
    const whole = own.shards(config, [...parameters, ...buffers]);
    checkShards(whole, ownPrograms);
    return withStates(whole, config, names);
  };
  const shards = shardsOf(mode, programs);
  const referenceShards = shardsOf(PARALLEL_MODES.single, reference);
  const stage = stageGraph(input, { rows: 2, withLoss: true });
  const noticeInput = { config, schedule, stage, rows: sizes.full };
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
  const fileNotices = config.weights === undefined ? [] : RESUMING.get().prefixNotices(config.weights, files);
  return {
    config,
    notices: [
      ...failureNotices(config, { devices: mesh.devices.length, processes: mesh.worldSize, links: linksOf(programs) }),
      ...configNotices(config, mode),
      ...(mode.notices?.(noticeInput) ?? []),
      ...optimizerNotices(config, names),
      ...(resume?.notices ?? fileNotices),
    ],
    dataset,
    generatorAfterData,
    table: {
      inputs: dataset.inputs,
      inputWidth,
      inputType,
      targets: dataset.targets,
      targetWidth: elements(dataset.targetShape),
      targetType,
    },
    parameters,
    parametersOfRanks: weights === undefined ? starts.parameters : [],
    buffers,
    mode,
    input,
    mesh,
    rankOfDevice: mesh.rankOfDevice,
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
    kindOf,
    togetherAt: (microBatch) => togetherAt(microBatch, schedule, rules),
    feed(taken) {
      const last = at(taken, taken.length - 1);
      return {
        program: programKey(kindAt(at(taken, 0).microBatch, schedule, rules, taken.length)),
        microBatches: taken.map((batch) => ({ rows: batch.rows, masks: allDraws(batch) })),
        scalars: scalars(last, updates),
        ...(behind ? { scalarsOf: scalarsOfRanks(last) } : {}),
      };
    },
    referenceTogetherAt: (microBatch) => togetherAt(microBatch, schedule, referenceRules),
    referenceFeed: (taken) => ({
      program: programKey(joinedKind(kindAt(at(taken, 0).microBatch, schedule, referenceRules, taken.length))),
      microBatches: taken.map(({ rows, masks }) => ({ rows: [concat(rows)], masks: joinedMasks(masks) })),
      scalars: scalars(at(taken, taken.length - 1)),
    }),
  };
}

const ignoreIndexOf = (loss: Config['loss']): number | undefined =>
  loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss' ? loss.ignoreIndex : undefined;

/** Rows of the embedding that the token ids go into. */
function vocabularyOf([first]: Config['model']['layers']): number | undefined {
  return first?.type === 'Embedding' || first?.type === 'TokenEmbedding' ? first.vocab : undefined;
}

function microBatchSize({ batchSize, accumulate }: Config): number {
  const size = Math.floor(batchSize / accumulate);
  if (size > 0) return size;
  throw new LockstepError(
    'config',
    `A batch of ${batchSize} cannot be cut into ${accumulate} micro-batches.`,
    `Set accumulate to at most ${batchSize}, or make the batch larger.`,
    { batchSize, accumulate },
  );
}

function concat(parts: readonly Int32Array[]): Int32Array {
  const result = new Int32Array(parts.reduce((n, p) => n + p.length, 0));
  let offset = 0;
  for (const part of parts) {
    result.set(part, offset);
    offset += part.length;
  }
  return result;
}
