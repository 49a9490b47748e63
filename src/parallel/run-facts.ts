/**
 * What a mode knows about a run beside its Programs: its buckets, and a closed form of the bytes that each Program
 * sends. Computed once, with the Programs, and stored in the blueprint and in SessionInfo. Called by blueprint.ts.
 */
import { must } from '../base/invariant';
import type { GraphValue } from '../graph/graph';
import type { DeviceMesh } from '../mesh/device-mesh';
import { LOSS_WEIGHTS } from '../nn/losses';
import type { ClosedForm, KindForm } from '../protocol/closed-form';
import type { BucketsInfo, PlanInfo, ShardingInfo } from '../protocol/session-info';
import type { StepKind } from '../protocol/step-kind';
import { elements, tensorBytes } from '../tensor/shape';
import { type RunSizes, type TransferSizes, together } from './closed-form';
import type { ModeFacets } from './facets/mode-facets';
import type { ModeInput } from './mode-input';
import type { StageGraph } from './stage-graph';

interface Described {
  readonly facets: ModeFacets;
  readonly mesh: DeviceMesh;
  readonly input: ModeInput;
  /** The graph of the whole model on one device. */
  readonly stage: StageGraph;
}

export interface RunFacts {
  /** The buckets, if gradients are reduced in buckets. */
  readonly buckets: BucketsInfo | undefined;
  readonly closedForms: readonly KindForm[];
  /** The plan, if layers are cut. */
  readonly plan?: PlanInfo | undefined;
  /** The shards, if ranks keep shards of parameters. */
  readonly sharding?: ShardingInfo | undefined;
}

/** `kinds`: the step kinds of the run's Programs. */
export function describe(run: Described, kinds: readonly StepKind[]): RunFacts {
  const { facets, input, stage } = run;
  const { facts } = facets;
  const buckets = facts.buckets?.(input, stage);
  const types = new Map(stage.graph.values.map(({ name, type }) => [name, type]));
  const sizes: RunSizes = {
    config: input.config,
    input,
    devices: run.mesh.devices.length,
    parameters: stage.registered.map(({ name }) => must(types.get(name), name)),
    transfers: transferSizes(run),
    buckets,
  };
  const forms = kinds.flatMap((kind): KindForm[] => {
    const form = formOf(facets, sizes, kind);
    return form ? [{ kind, form }] : [];
  });
  return { buckets, closedForms: forms, plan: facts.plan?.(input), sharding: facts.sharding?.(input) };
}

function formOf({ facts, place }: ModeFacets, sizes: RunSizes, kind: StepKind): ClosedForm | undefined {
  if (kind.type === 'construct') return facts.constructForm?.(sizes);
  if (kind.type !== 'training') return undefined;
  const [first, ...others] = kind.microBatches.map((microBatch, k) =>
    facts.closedForm(sizes, {
      ...microBatch,
      rows: place.rowsOfDevice(sizes.config, microBatch.rows).map(([, count]) => count),
      steps: kind.steps && k === kind.microBatches.length - 1,
      hookPhase: kind.hookPhase,
      ...(kind.ofOneBatch ? { microBatches: kind.microBatches.length } : {}),
    }),
  );
  return first && together([first, ...others], kind.ofOneBatch);
}

/** A message holds whole words: two halves each, of a tensor in half precision. */
const sentBytes = ({ type, half }: GraphValue): number =>
  half ? 4 * Math.ceil(elements(type.shape) / 2) : tensorBytes(type);

function transferSizes({ facets, input, stage }: Described): TransferSizes {
  const { values } = stage.graph;
  const bytesOf = (names: ReadonlySet<string>): number =>
    values.reduce((sum, value) => (names.has(value.name) ? sum + sentBytes(value) : sum), 0);
  const output = must(
    values.find(({ name }) => name === stage.output),
    stage.output,
  );
  const [rows = 1] = output.type.shape;
  return {
    parameterBytes: bytesOf(new Set(stage.registered.map((p) => p.name))),
    gradientBytes: bytesOf(new Set(stage.parameters.map((p) => p.name))),
    bufferBytes: bytesOf(
      new Set(values.flatMap((v) => (v.role === 'buffer' && v.name !== LOSS_WEIGHTS ? [v.name] : []))),
    ),
    inputRowBytes: tensorBytes({ shape: input.inputShape, dtype: input.inputType }),
    outputRowBytes: tensorBytes(output.type) / rows / (output.half ? 2 : 1),
    borderRowBytes: (facets.place.borders?.(input) ?? []).map(
      ({ inputShape, inputHalf }) => tensorBytes({ shape: inputShape }) / (inputHalf ? 2 : 1),
    ),
  };
}
