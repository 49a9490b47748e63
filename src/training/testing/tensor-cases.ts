/**
 * Tensor parallelism recorded from real PyTorch 2.13 (parallelize_module over gloo) as parity cases: an MLP by columns
 * and rows, rows and columns, and uneven columns; a GPT with a vocabulary-parallel embedding, heads by rank and
 * loss_parallel, with and without sequence parallelism. The plans are read as torch prints them.
 */
import { stylesOf } from '../../graph/partition/testing/torch-plans';
import type { ConfigInput } from '../../protocol/config';
import type { StyleConfig } from '../../protocol/config/tensor';
import fixture from '../fixtures/tensor.json';
import meshes from '../fixtures/tensor-meshes.json';
import type { ParityCase } from './parity-cases';
import { type Bars, gptRun, mlp784Run, type Stored, tanhRun, tensors } from './recorded-runs';

interface RecordedTensorParallel {
  readonly mode: { readonly world: number; readonly loss_parallel?: boolean };
  readonly plan: Readonly<Record<string, string>>;
  readonly losses: readonly number[];
  readonly first_step_grads: Readonly<Record<string, Stored>>;
  readonly final_params: Readonly<Record<string, Stored>>;
  readonly bars: Bars;
}

type RunName = keyof typeof fixture.runs;

const { mlp784, gpt } = fixture.runs;

const BASES: Readonly<Record<RunName, ConfigInput>> = {
  mlp784: { ...mlp784Run(mlp784.spec), batchSize: mlp784.spec.batch },
  gpt: { ...gptRun(gpt.spec), batchSize: gpt.spec.batch, dropLast: true },
};

/** A recorded plan as the setting tensor.plan. */
export const planConfig = (given: Readonly<Record<string, string>>): Record<string, StyleConfig> =>
  Object.fromEntries(
    stylesOf(given).map(([module, { style, output }]) => [
      module,
      output === undefined ? style : { style, outputLayouts: output },
    ]),
  );

function caseOf(name: RunName, { mode, plan: given, ...recorded }: RecordedTensorParallel): ParityCase {
  return {
    name: `${name}, tp ${mode.world}, ${Object.entries(given).map(([module, text]) => `${module} ${text}`)}`,
    config: {
      ...BASES[name],
      mode: 'tensor',
      worldSize: mode.world,
      tensor: { plan: planConfig(given), lossParallel: mode.loss_parallel === true },
    },
    files: {},
    losses: [recorded.losses],
    firstGradients: tensors(recorded.first_step_grads),
    finalParameters: tensors(recorded.final_params),
    evalLoss: undefined,
    clipped: 1,
    finalBuffers: new Map(),
    bars: recorded.bars,
  };
}

export const TENSOR_CASES: readonly ParityCase[] = (Object.keys(BASES) as RunName[]).flatMap((name) =>
  (fixture.runs[name].tensor_parallel as unknown as readonly RecordedTensorParallel[]).map((recorded) =>
    caseOf(name, recorded),
  ),
);

interface RecordedMesh {
  readonly mode: {
    readonly mesh: { readonly dp: number; readonly tp: number };
    readonly batch_per_dp: number;
    readonly plan: Readonly<Record<string, string>>;
  };
  readonly per_dp_losses: readonly (readonly number[])[];
  readonly first_step_grads: Readonly<Record<string, Stored>>;
  readonly final_params: Readonly<Record<string, Stored>>;
  readonly bars: Bars;
}

const { deep_tanh, gpt: smallGpt } = meshes.runs;

const MESH_BASES: Readonly<Record<keyof typeof meshes.runs, ConfigInput>> = {
  deep_tanh: tanhRun(deep_tanh.spec),
  gpt: gptRun(smallGpt.spec),
};

function meshCaseOf(name: keyof typeof meshes.runs, { mode, ...recorded }: RecordedMesh): ParityCase {
  const { mesh, batch_per_dp } = mode;
  const { dp, tp } = mesh;
  return {
    name: `${name}, ${Object.entries(mesh).map(([axis, size]) => `${axis} ${size}`)}`,
    config: {
      ...MESH_BASES[name],
      mode: 'tensor',
      mesh: { dpReplicate: dp, tp },
      batchSize: dp * batch_per_dp,
      dropLast: true,
      tensor: { plan: planConfig(mode.plan) },
    },
    files: {},
    // Every rank of a tensor group reports the loss of its replica.
    losses: recorded.per_dp_losses.flatMap((losses) => Array.from({ length: tp }, () => losses)),
    firstGradients: tensors(recorded.first_step_grads),
    finalParameters: tensors(recorded.final_params),
    evalLoss: undefined,
    clipped: 1,
    finalBuffers: new Map(),
    bars: recorded.bars,
  };
}

/**
 * Layers that are cut beside replicas. Without replicas the recorded runs took their rows from a DistributedSampler,
 * too, which ours do with several replicas only: these are not here. Beside shards: sharded-mesh-cases.ts.
 */
export const TENSOR_MESH_CASES: readonly ParityCase[] = (
  Object.keys(MESH_BASES) as (keyof typeof meshes.runs)[]
).flatMap((name) =>
  (meshes.runs[name].mesh as unknown as readonly RecordedMesh[]).map((recorded) => meshCaseOf(name, recorded)),
);
