/**
 * fully_shard beside the other axes of a mesh, recorded from real PyTorch 2.13 over gloo as parity cases: after
 * parallelize_module (dpShard x tp), around the stages of a pipeline (pp x dpShard), and both (pp x dpShard x tp).
 */
import type { ConfigInput } from '../../protocol/config';
import fixture from '../fixtures/sharded-meshes.json';
import type { ParityCase } from './parity-cases';
import { type Bars, gptRun, type Stored, tanhRun, tensors } from './recorded-runs';
import { planConfig } from './tensor-cases';

export interface RecordedShardedMesh {
  readonly mode: {
    readonly mesh: { readonly pp?: number; readonly dp: number; readonly tp?: number };
    readonly batch_per_dp: number;
    readonly split?: readonly number[];
    readonly schedule?: '1F1B';
    readonly microbatches?: number;
    readonly plan?: Readonly<Record<string, string>>;
  };
  readonly per_dp_losses: readonly (readonly number[])[];
  readonly first_step_grads: Readonly<Record<string, Stored>>;
  readonly final_params: Readonly<Record<string, Stored>>;
  readonly bars: Bars;
  readonly parameters: Readonly<Record<string, { readonly local_shapes: readonly (readonly number[] | null)[] }>>;
  /** Calls of a step of each rank, by name. */
  readonly collectives_per_rank: readonly Readonly<Record<string, number>>[];
  /** [name, elements in, elements out], and of an all_reduce what it does. */
  readonly log_rank0: readonly (readonly [name: string, given: number, made: number, how?: string])[];
}

export interface ShardedMeshCase extends ParityCase {
  readonly recorded: RecordedShardedMesh;
}

type RunName = keyof typeof fixture.runs;
const { deep_tanh, gpt } = fixture.runs;

const BASES: Readonly<Record<RunName, ConfigInput>> = { deep_tanh: tanhRun(deep_tanh.spec), gpt: gptRun(gpt.spec) };

function caseOf(name: RunName, recorded: RecordedShardedMesh): ShardedMeshCase {
  const { mesh, batch_per_dp, split, schedule, microbatches, plan } = recorded.mode;
  const { pp, dp, tp = 1 } = mesh;
  const pipeline =
    split && schedule && microbatches ? { split: [...split], schedule, microBatches: microbatches } : undefined;
  return {
    name: `${name}, ${Object.entries(mesh).map(([axis, size]) => `${axis === 'dp' ? 'dpShard' : axis} ${size}`)}`,
    config: {
      ...BASES[name],
      mode: pipeline ? 'pipeline' : 'sharded',
      mesh: { ...(pp === undefined ? {} : { pp }), dpShard: dp, ...(tp === 1 ? {} : { tp }) },
      batchSize: dp * batch_per_dp,
      dropLast: true,
      ...(plan ? { tensor: { plan: planConfig(plan) } } : {}),
      ...(pipeline ? { pipeline } : {}),
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
    recorded,
  };
}

export const SHARDED_MESH_CASES: readonly ShardedMeshCase[] = (Object.keys(BASES) as RunName[]).flatMap((name) =>
  (fixture.runs[name].mesh as unknown as readonly RecordedShardedMesh[]).map((recorded) => caseOf(name, recorded)),
);
