/**
 * The state of a script before its first step, drawn from one seed in the order of a PyTorch script: the data, then
 * each rank's model, then the states of the generators. Only the data decides what is compiled (plan.ts), so a model
 * that fits into no device is refused before it is drawn.
 */
import { at } from '../../base/invariant';
import { checkTargets, checkTokens, type Dataset } from '../../data/dataset';
import { makeDataset } from '../../data/make-dataset';
import type { DeviceMesh } from '../../mesh/device-mesh';
import { checkModel } from '../../nn/check-model';
import { type InitialBuffer, type InitialParameter, initialBuffers } from '../../nn/model';
import { tiedNames } from '../../nn/tied';
import type { ModeFacets } from '../../parallel/facets/mode-facets';
import type { ModeInput } from '../../parallel/mode-input';
import { PROGRAM_OPS } from '../../parallel/modes';
import type { Config } from '../../protocol/config';
import type { Files } from '../../protocol/session';
import type { DatasetTable } from '../../runtime/launch/world';
import { Generator } from '../../tensor/generator';
import { HALF_BITS } from '../../tensor/half-bits-part';
import { type DType, elements } from '../../tensor/shape';
import { modelFileName } from '../checkpoint/file-names';
import { HOST_MEMORY } from '../host-memory-part';
import { rankStarts } from '../rank-starts';
import { RESUMING } from './resuming-part';

export interface RunInput {
  readonly config: Config;
  readonly files: Files;
  readonly facets: ModeFacets;
  readonly mesh: DeviceMesh;
}

export interface DrawnData {
  readonly dataset: Dataset;
  /** The generator after the data was drawn and split, before the model is drawn. */
  readonly generatorAfterData: Generator;
}

export interface Start extends DrawnData {
  /** By data index, after the model was drawn. */
  readonly generators: readonly Generator[];
  /** Initial parameters of rank 0. */
  readonly parameters: readonly InitialParameter[];
  /** Initial parameters by rank, if the ranks have different seeds. */
  readonly parametersOfRanks: readonly (readonly InitialParameter[])[];
  /** Initial running statistics and similar buffers. */
  readonly buffers: readonly InitialBuffer[];
  /** The checkpoint that the run resumes from, if any. */
  readonly saved: ReturnType<ReturnType<(typeof RESUMING)['get']>['readCheckpoint']> | undefined;
}

export function drawData({ config, files }: Pick<RunInput, 'config' | 'files'>): DrawnData {
  const generator = new Generator(config.seed);
  const dataset = makeDataset(config.data, config.loss, generator, files);
  checkFit(config, dataset);
  return { dataset, generatorAfterData: generator };
}

export function drawModel(
  { config, files, facets, mesh }: RunInput,
  { dataset, generatorAfterData }: DrawnData,
): Start {
  const { layers } = config.model;
  HOST_MEMORY.now()?.checkDrawnWeights({ config, facets }, mesh);
  const starts = rankStarts({ config, facets }, generatorAfterData, mesh);
  const drawn = { parameters: at(starts.parameters, 0), buffers: initialBuffers(layers, config.loss) };
  const saved = config.resume === undefined ? undefined : RESUMING.get().readCheckpoint(config.resume, files);
  const weights = saved ? modelFileName(saved.name) : config.weights;
  const given = weights === undefined ? drawn : RESUMING.get().initialWeights(weights, files, drawn, tiedNames(layers));
  const inModel = config.precision === 'bf16' ? inBfloat16 : (tensors: readonly InitialParameter[]) => tensors;
  return {
    dataset,
    generatorAfterData,
    generators: starts.generators,
    ...given,
    parameters: inModel(given.parameters),
    parametersOfRanks: weights === undefined ? starts.parameters.map(inModel) : [],
    saved,
  };
}

/** model.to(torch.bfloat16). */
const inBfloat16 = (tensors: readonly InitialParameter[]): readonly InitialParameter[] =>
  tensors.map((tensor) => {
    const data = Float32Array.from(tensor.data);
    HALF_BITS.get().roundTo('bf16', data);
    return { ...tensor, data };
  });

/** Refuses a model that cannot take these rows, or whose output does not fit the loss. */
function checkFit({ model: { layers }, loss, batchSize }: Config, dataset: Dataset): void {
  const data = {
    input: { shape: dataset.inputShape, dtype: dataset.inputType },
    target: { shape: dataset.targetShape, dtype: targetTypeOf(dataset) },
  };
  const outputs = checkModel(layers, data, loss, batchSize).at(-1) ?? 1;
  checkTargets(dataset, outputs, ignoreIndexOf(loss), loss.type);
  const vocabulary = vocabularyOf(layers);
  if (vocabulary !== undefined) checkTokens(dataset, vocabulary);
}

/** The input of the mode's compiler. */
export const modeInputOf = (config: Config, dataset: Dataset): ModeInput => ({
  config,
  ops: PROGRAM_OPS,
  inputShape: dataset.inputShape,
  inputType: dataset.inputType,
  targetShape: dataset.targetShape,
  targetType: targetTypeOf(dataset),
});

/** The rows in the form that the devices take. */
export const tableOf = (dataset: Dataset): DatasetTable => ({
  inputs: dataset.inputs,
  inputWidth: elements(dataset.inputShape),
  inputType: dataset.inputType,
  targets: dataset.targets,
  targetWidth: elements(dataset.targetShape),
  targetType: targetTypeOf(dataset),
});

const targetTypeOf = ({ targets }: Dataset): DType => (targets instanceof Int32Array ? 'i32' : 'f32');

const ignoreIndexOf = (loss: Config['loss']): number | undefined =>
  loss.type === 'CrossEntropyLoss' || loss.type === 'NLLLoss' ? loss.ignoreIndex : undefined;

/** Rows of the embedding that reads the token ids. */
function vocabularyOf([first]: Config['model']['layers']): number | undefined {
  return first?.type === 'Embedding' || first?.type === 'TokenEmbedding' ? first.vocab : undefined;
}
