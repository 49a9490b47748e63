/**
 * Sharded data parallelism recorded from real PyTorch 2.13 over gloo as parity cases: fully_shard with and without
 * reshard_after_forward, on worlds that do not divide the rows of the parameters, and ZeroRedundancyOptimizer.
 */
import type { ConfigInput } from '../../protocol/config';
import fixture from '../fixtures/fsdp.json';
import type { ParityCase } from './parity-cases';
import { type Bars, gptLayers, type Stored, tensors } from './recorded-runs';

interface Recorded {
  readonly mode: {
    readonly world: number;
    readonly batch_per_dp: number;
    readonly reshard_after_forward?: boolean | null;
  };
  readonly per_rank_losses: readonly (readonly number[])[];
  readonly first_step_grads: Readonly<Record<string, Stored>>;
  readonly final_params: Readonly<Record<string, Stored>>;
  readonly bars: Bars;
}

/** ['all_gather', unit, elements in, elements out], ['forward', unit]. */
export type RecordedCall = readonly [name: string, unit: string, given?: number, made?: number];

export interface RecordedFsdp extends Recorded {
  readonly log_first_step: { readonly forward: readonly RecordedCall[]; readonly backward: readonly RecordedCall[] };
  readonly parameters: Readonly<Record<string, { readonly local_shapes: readonly (readonly number[])[] }>>;
}

export interface RecordedZero extends Recorded {
  /** Names of the parameters that each rank steps. */
  readonly partition: readonly (readonly string[])[];
}

export interface ShardedCase<T extends Recorded> extends ParityCase {
  readonly recorded: T;
}

type RunName = keyof typeof fixture.runs;
const { mlp784, gpt } = fixture.runs;

const BASES: Readonly<Record<RunName, ConfigInput>> = {
  mlp784: {
    model: { layers: [{ type: 'Linear', in: 784, out: 130 }, { type: 'ReLU' }, { type: 'Linear', in: 130, out: 10 }] },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: { type: 'Adam', lr: 0.001 },
    data: { type: 'prototypes', samples: mlp784.spec.data.n, classes: 10, features: 784 },
    seed: mlp784.spec.seed,
  },
  gpt: {
    model: { layers: gptLayers(gpt.spec.model) },
    loss: { type: 'CrossEntropyLoss' },
    optimizer: { type: 'Adam', lr: 0.001 },
    data: { type: 'text', text: gpt.spec.data.text, context: gpt.spec.data.T },
    dropLast: true,
    seed: gpt.spec.seed,
  },
};

function caseOf<T extends Recorded>(name: RunName, recorded: T, sharded: ConfigInput['sharded']): ShardedCase<T> {
  const { world, batch_per_dp, reshard_after_forward: reshards } = recorded.mode;
  const how = sharded?.stage === 1 ? 'ZeroRedundancyOptimizer' : `reshard_after_forward=${reshards ?? 'None'}`;
  return {
    name: `${name}, ${world} ranks, ${how}`,
    config: { ...BASES[name], mode: 'sharded', worldSize: world, batchSize: world * batch_per_dp, sharded },
    files: {},
    losses: recorded.per_rank_losses,
    firstGradients: tensors(recorded.first_step_grads),
    finalParameters: tensors(recorded.final_params),
    evalLoss: undefined,
    clipped: 1,
    finalBuffers: new Map(),
    bars: recorded.bars,
    recorded,
  };
}

const NAMES = Object.keys(BASES) as RunName[];

export const FSDP_CASES: readonly ShardedCase<RecordedFsdp>[] = NAMES.flatMap((name) =>
  (fixture.runs[name].fsdp as unknown as readonly RecordedFsdp[]).map((recorded) => {
    const reshards = recorded.mode.reshard_after_forward;
    return caseOf(
      name,
      recorded,
      reshards === false ? { stage: 2 } : { ...(reshards ? { reshardAfterForward: true } : {}) },
    );
  }),
);

export const ZERO1_CASES: readonly ShardedCase<RecordedZero>[] = NAMES.flatMap((name) =>
  (fixture.runs[name].zero1 as unknown as readonly RecordedZero[]).map((recorded) =>
    caseOf(name, recorded, { stage: 1 }),
  ),
);
