/**
 * Pipelines recorded from real PyTorch 2.13 (torch.distributed.pipelining over gloo) as parity cases: every schedule,
 * with the losses, first gradients and final parameters that it has to come to. Initial weights, data and batches are
 * those of the unsplit run.
 */
import { must } from '../../base/invariant';
import type { ConfigInput } from '../../protocol/config';
import { SCHEDULE_NAMES } from '../../protocol/pipeline';
import { mlpLayers } from '../../protocol/presets';
import fixture from '../fixtures/pipeline.json';
import type { ParityCase } from './parity-cases';
import { type Bars, gptRun, mlp784Run, type Stored, tanhLayers, tanhRun, tensors } from './recorded-runs';

interface RecordedPipeline {
  readonly mode: {
    readonly schedule: string;
    readonly ranks: number;
    readonly split: readonly number[];
    readonly microbatches: number;
    readonly scale_grads?: boolean;
  };
  readonly losses: readonly number[];
  readonly microbatch_losses_first_step: readonly number[];
  readonly first_step_grads: Readonly<Record<string, Stored>>;
  readonly final_params: Readonly<Record<string, Stored>>;
  readonly bars: Bars;
}

type RunName = keyof typeof fixture.runs;

const { tanh_mlp, deep_tanh, mlp784, gpt } = fixture.runs;
const ofTanh = { loss: { type: 'BCEWithLogitsLoss' }, optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 } } as const;

const BASES: Readonly<Record<RunName, ConfigInput>> = {
  tanh_mlp: {
    ...ofTanh,
    model: { layers: tanhLayers },
    data: { type: 'xor', samples: tanh_mlp.spec.data.n },
    batchSize: tanh_mlp.spec.batch,
    seed: tanh_mlp.spec.seed,
  },
  deep_tanh: { ...tanhRun(deep_tanh.spec), batchSize: deep_tanh.spec.batch },
  mlp784: { ...mlp784Run(mlp784.spec), batchSize: mlp784.spec.batch },
  gpt: { ...gptRun(gpt.spec), batchSize: gpt.spec.batch, dropLast: true },
};

interface RecordedMesh extends Pick<RecordedPipeline, 'first_step_grads' | 'final_params' | 'bars'> {
  readonly mode: Omit<RecordedPipeline['mode'], 'ranks'> & {
    readonly mesh: { readonly pp: number; readonly dp: number };
    readonly batch_per_dp: number;
  };
  readonly per_dp_losses: readonly (readonly number[])[];
}

const scheduleNamed = (name: string) =>
  must(
    SCHEDULE_NAMES.find((known) => known === name),
    name,
  );

function caseOf(base: ConfigInput, name: string, { mode, ...recorded }: RecordedPipeline): ParityCase {
  const { ranks, split, microbatches, scale_grads: scaleGrads = true } = mode;
  const schedule = scheduleNamed(mode.schedule);
  return {
    name: `${name} ${schedule}, ${ranks} ranks, stages [${split.join(', ')}], ${microbatches} micro-batches${scaleGrads ? '' : ', gradients summed'}`,
    config: {
      ...base,
      mode: 'pipeline',
      mesh: { pp: ranks },
      pipeline: {
        schedule,
        stagesPerRank: split.length / ranks,
        split: [...split],
        microBatches: microbatches,
        scaleGrads,
      },
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

export const PIPELINE_CASES: readonly ParityCase[] = (Object.keys(BASES) as RunName[]).flatMap((name) =>
  (fixture.runs[name].pipeline as unknown as readonly RecordedPipeline[]).map((recorded) =>
    caseOf(BASES[name], name, recorded),
  ),
);

/** With replicas of the pipeline, whose gradients torch's DDP averages. */
function meshCaseOf(base: ConfigInput, name: string, { mode, ...recorded }: RecordedMesh): ParityCase {
  const { mesh, split, microbatches, batch_per_dp } = mode;
  const schedule = scheduleNamed(mode.schedule);
  return {
    name: `${name} ${schedule}, pp ${mesh.pp} x dp ${mesh.dp}, ${microbatches} micro-batches`,
    config: {
      ...base,
      mode: 'pipeline',
      mesh,
      batchSize: mesh.dp * batch_per_dp,
      dropLast: true,
      pipeline: { schedule, split: [...split], microBatches: microbatches },
    },
    files: {},
    losses: recorded.per_dp_losses,
    firstGradients: tensors(recorded.first_step_grads),
    finalParameters: tensors(recorded.final_params),
    evalLoss: undefined,
    clipped: 1,
    finalBuffers: new Map(),
    bars: recorded.bars,
  };
}

const meshes = fixture.meshes;
const recordedMesh = (list: readonly unknown[]): RecordedMesh => must(list[0], 'a recorded mesh') as RecordedMesh;

export const PIPELINE_MESH_CASES: readonly ParityCase[] = [
  meshCaseOf(
    {
      ...BASES.deep_tanh,
      model: { layers: mlpLayers(meshes.deep_tanh.spec.model.dims, 'Tanh') },
      data: { type: 'xor', samples: meshes.deep_tanh.spec.data.n },
    },
    'deep_tanh',
    recordedMesh(meshes.deep_tanh.mesh),
  ),
];
