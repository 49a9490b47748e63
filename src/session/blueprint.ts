/**
 * From a Config to everything that a run needs and that does not change while it runs: dataset, initial weights, Programs of the mode and of
 * the single-device twin, and the order of batches. Deterministic: the same Config gives the same blueprint anywhere. Builds no device.
 */
import { at } from '../base/invariant';
import { type BatchSource, makeBatchSource, type StepBatch } from '../data/batch-source';
import { checkTargets, type Dataset } from '../data/dataset';
import { makeDataset } from '../data/make-dataset';
import { checkModel } from '../nn/check-model';
import { type InitialParameter, initialParameters } from '../nn/model';
import { stepScalars } from '../optim/scalars';
import { PROGRAM_OPS, STRATEGIES } from '../parallel/strategies';
import type { Strategy, StrategyInput } from '../parallel/strategy';
import type { Program } from '../program/instruction';
import { verify, verifyMemory } from '../program/verifier';
import type { Config } from '../protocol/config';
import type { Files, Notice } from '../protocol/session';
import type { Rank } from '../protocol/trace';
import type { DatasetTable, StepFeed } from '../runtime/launch/world';
import { Generator } from '../tensor/generator';
import { elements } from '../tensor/shape';
import { configNotices } from './config-notices';
import { initialWeights } from './initial-weights';
import { singleTwin } from './parse-config';

export interface Blueprint {
  readonly config: Config;
  readonly notices: readonly Notice[];
  readonly dataset: Dataset;
  readonly table: DatasetTable;
  readonly parameters: readonly InitialParameter[];
  readonly strategy: Strategy;
  readonly input: StrategyInput;
  readonly rankOfDevice: readonly Rank[];
  /** Variants 'full', and where they occur 'first', 'last', 'construct'. */
  readonly programs: readonly Program[];
  /** Programs of the single-device twin; empty when none is wanted. */
  readonly twin: readonly Program[];
  readonly stepsPerEpoch: number;
  /** A fresh order of batches from step 0. */
  batches(): BatchSource;
  /** Which Program a batch runs. */
  variantOf(batch: StepBatch): string;
  feed(batch: StepBatch): StepFeed;
  twinFeed(batch: StepBatch): StepFeed;
}

export function createBlueprint(config: Config, files: Files): Blueprint {
  const generator = new Generator(config.seed);
  const dataset = makeDataset(config.data, config.loss, generator, files);
  const inputWidth = elements(dataset.inputShape);
  const outputs = checkModel(
    config.model.layers,
    inputWidth,
    config.loss,
    {
      dtype: dataset.targets instanceof Int32Array ? 'i32' : 'f32',
      columns: elements(dataset.targetShape),
    },
    config.batchSize,
  );
  checkTargets(dataset, outputs);
  const drawn = initialParameters(config.model.layers, generator);
  const parameters = config.weights === undefined ? drawn : initialWeights(config.weights, files, drawn);

  const strategy = STRATEGIES[config.mode];
  const { ranks, processes } = strategy.mesh(config);
  const batches = () => makeBatchSource({ config, dataset, generator: generator.clone(), processes });
  const { sizes, stepsPerEpoch } = batches();
  const input: StrategyInput = {
    config,
    ops: PROGRAM_OPS,
    inputShape: dataset.inputShape,
    targetShape: dataset.targetShape,
    targetType: dataset.targets instanceof Int32Array ? 'i32' : 'f32',
  };
  const full = at(sizes.full, 0);
  const last = sizes.last && at(sizes.last, 0);
  const programs = [strategy.compile(input, 'full', full)];
  if (last !== undefined) programs.push(strategy.compile(input, 'last', last));
  if (strategy.firstStepDiffers) programs.push(strategy.compile(input, 'first', full));
  const construct = strategy.construct?.(input);
  if (construct) programs.push(construct);
  for (const program of programs) verify(program, PROGRAM_OPS);
  verifyMemory(programs, config.memoryBudgetMb * 1024 * 1024);

  const twinInput = { ...input, config: singleTwin(config) };
  const twin =
    config.mode === 'single' || !config.compareSingle
      ? []
      : [STRATEGIES.single.compile(twinInput, 'full', full * processes)];
  if (twin.length > 0 && last !== undefined) twin.push(STRATEGIES.single.compile(twinInput, 'last', last * processes));

  const variantOf = ({ step, variant }: StepBatch) => (strategy.firstStepDiffers && step === 0 ? 'first' : variant);
  const scalars = (batch: StepBatch) => stepScalars(config.optimizer, batch.step + 1);
  return {
    config,
    notices: configNotices(config, { outputs, rows: full, processes }),
    dataset,
    table: {
      inputs: dataset.inputs,
      inputWidth,
      inputType: dataset.inputType,
      targets: dataset.targets,
      targetWidth: elements(dataset.targetShape),
      targetType: input.targetType,
    },
    parameters,
    strategy,
    input,
    rankOfDevice: ranks,
    programs,
    twin,
    stepsPerEpoch,
    batches,
    variantOf,
    feed: (batch) => ({ variant: variantOf(batch), rows: batch.rows, scalars: scalars(batch) }),
    twinFeed: (batch) => ({ variant: batch.variant, rows: [concat(batch.rows)], scalars: scalars(batch) }),
  };
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
