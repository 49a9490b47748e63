/**
 * The graph of one device's work in a step: forward and backward of some layers, and the loss if requested. Modes emit
 * its nodes as instructions (emit.ts) and add the transfers; buffers are named like its values, parameters like
 * PyTorch's state_dict.
 */
import { at, must } from '../base/invariant';
import { loadAll, Part } from '../base/part';
import { type ForwardPrecision, type Graph, GraphBuilder, type GraphNode, type Role } from '../graph/graph';
import type { ValueId } from '../graph/op';
import type { Segment } from '../graph/passes/checkpoint';
import type { Synced } from '../nn/layer';
import { buildLoss } from '../nn/losses';
import { buildForward } from '../nn/model';
import type { LaneBuilder } from '../program/lane-builder';
import type { Config } from '../protocol/config';
import { halfOf, modelHalf, policyHalf, reduceHalf } from '../protocol/half-of';
import type { Axis } from '../protocol/mesh';
import type { MicroBatchKind } from '../protocol/step-kind';
import type { TensorRegion } from '../sharding/piece';
import type { HalfFormat } from '../tensor/half-bits';
import type { DType, Shape } from '../tensor/shape';
import type { HalfValues } from './emit-halves';
import type { ModeInput } from './mode-input';
import { type Partition, WHOLE } from './partition-pass';

/** Loaded for a run with `fuse`. */
export const FUSION_PASSES = new Part('The fusions', () => import('../graph/passes'));
/** Loaded for a run with `checkpointSegments`. */
export const CHECKPOINT_PASS = new Part('Activation checkpointing', () => import('../graph/passes/checkpoint'));
/** Loaded for a run whose layers compute in half precision. */
export const MIXED_PRECISION = new Part('Mixed precision', async () => ({
  ...(await import('../graph/autocast')),
  ...(await import('../graph/all-in-half')),
  ...(await import('./emit-halves')),
}));
if (!globalThis.LOCKSTEP_SITE) await loadAll([FUSION_PASSES, CHECKPOINT_PASS, MIXED_PRECISION]);

export interface ParameterRef {
  readonly name: string;
  /** Buffer of its gradient, PyTorch's `.grad`: what is reduced and what the optimiser reads. */
  readonly gradient: string;
  /**
   * Buffer that this backward pass writes: `gradient` itself, or a separate buffer that is then added to `gradient`.
   */
  readonly fresh: string;
  /** The half format of `gradient`, if any; a sum of two such gradients is rounded again. */
  readonly half?: HalfFormat;
  /** Axes of the mesh along which every rank has a different piece; absent: each rank has the whole parameter. */
  readonly cutAlong?: readonly Axis[];
  /** Axes along which the ranks' gradients are addends: torch's Partial, summed when the optimiser reads them. */
  readonly sumAlong?: readonly Axis[];
}

export interface DropoutMask {
  readonly name: string;
  readonly p: number;
  /** The layer computes in this type, and rounds the mask to it; absent: float32. */
  readonly half?: HalfFormat;
  /** The rank's piece of a whole activation's mask, if an axis cuts tensors. */
  readonly region?: TensorRegion;
}

export interface StageGraph {
  readonly graph: Graph;
  readonly input: string;
  readonly output: string;
  /** Gradient with respect to the output: made by the loss, or received. */
  readonly outputGradient: string;
  /** Gradient with respect to the input, if requested. */
  readonly inputGradient: string | undefined;
  /** Parameters that backward reaches. */
  readonly parameters: readonly ParameterRef[];
  /**
   * All parameters in registration order. Backward never writes the gradient of a parameter that forward does not use
   * (`.grad` stays None).
   */
  readonly registered: readonly ParameterRef[];
  /** The parameters in the order in which DDP's hooks run; absent: as backward makes their gradients. */
  readonly hookOrder?: readonly ParameterRef[];
  /** Dropout masks, in the order of their draws. */
  readonly masks: readonly DropoutMask[];
  /** Values that are a piece or an addend of a whole tensor. */
  readonly regions: ReadonlyMap<string, TensorRegion>;
  /** Values that all micro-batches of a Program share though they do not outlive it; absent: none. */
  readonly ofBatch?: ReadonlySet<string>;
  /** The initial gradient of the loss: 1 over the number of micro-batches. */
  readonly lossGradient: number;
}

export interface StageOptions {
  readonly rows: number;
  readonly range?: { readonly start: number; readonly end: number };
  /** Name, row shape and type of the input; by default the model's. */
  readonly inputName?: string;
  readonly inputShape?: Shape;
  readonly inputType?: DType;
  readonly inputHalf?: HalfFormat | undefined;
  readonly withLoss: boolean;
  readonly needInputGradient?: boolean;
  /** Default 'set'. */
  readonly gradients?: MicroBatchKind['gradients'];
  /** Parameters of layers outside the range that layers of it use, too: tied weights. */
  readonly borrowed?: readonly { readonly name: string; readonly shape: Shape }[];
  /**
   * Parameters whose gradients another graph of the same device has already set: these are added even if the others are
   * set.
   */
  readonly added?: ReadonlySet<string>;
  /** Batch norm is SyncBatchNorm over these ranks. */
  readonly synced?: Synced | undefined;
  /** Absent: the rank has whole tensors. */
  readonly partition?: Partition | undefined;
}

export function stageGraph(input: ModeInput, options: StageOptions): StageGraph {
  const { config, ops } = input;
  const whole = new GraphBuilder(ops, forwardPrecision(config));
  const wholeInput = whole.value(
    options.inputName ?? 'x',
    {
      shape: [options.rows, ...(options.inputShape ?? input.inputShape)],
      dtype: options.inputType ?? input.inputType,
    },
    'input',
    options.inputHalf,
  );
  const borrowed = (options.borrowed ?? []).map(({ name, shape }) => ({
    name,
    value: whole.value(name, { shape, dtype: 'f32' }, 'parameter'),
  }));
  const forward = buildForward(whole, config.model.layers, wholeInput, {
    range: options.range,
    synced: options.synced,
    made: new Map(borrowed.map(({ name, value }) => [name, value])),
  });
  const loss = options.withLoss ? lossOf(whole, input, options.rows, forward.output) : undefined;
  const builder = options.partition ? new GraphBuilder(ops) : whole;
  const handedOn = options.withLoss ? undefined : forward.output;
  const cutGraph = options.partition?.cut(whole.finish(), builder, handedOn) ?? WHOLE;
  const { own, nodesOf: nodesFor, cutAlong, sumAlong, regionOf } = cutGraph;
  const [x, output] = [own(wholeInput), own(forward.output)];
  const used = [...forward.parameters, ...borrowed].map(({ name, value }) => ({
    name,
    value: own(value),
    cut: cutAlong(value),
    sum: sumAlong(value),
  }));
  const wrt: ValueId[] = [...used.map((p) => p.value), ...(options.needInputGradient ? [x] : [])];
  const nameOf = (id: ValueId): string => must(builder.finish().values[id], 'value').name;
  let gradients: ReadonlyMap<ValueId, ValueId>;
  let outputGradient = `${nameOf(output)}.grad`;
  if (loss !== undefined) {
    const seed = builder.value('loss.grad', { shape: [1], dtype: 'f32' }, 'seed');
    gradients = builder.backward(new Map([[own(loss), seed]]), wrt);
  } else {
    const received = builder.value(outputGradient, builder.typeOf(output), 'gradient', builder.halfOf(output));
    outputGradient = nameOf(received);
    gradients = builder.backward(new Map([[output, received]]), wrt);
  }
  const inputGradient = gradients.get(x);
  const made = used.flatMap(({ name, value, cut, sum }) => {
    const gradient = gradients.get(value);
    return gradient === undefined ? [] : [{ name, value: gradient, cut, sum }];
  });
  const finished = builder.finish();
  const adds = made.filter(({ name }) => options.gradients === 'add' || options.added?.has(name));
  const named = renamed(finished, new Set(adds.map((p) => p.value)));
  // A fused kernel would not round the values between its operators.
  const halves = named.values.flatMap(({ id, half }) => (half ? [id] : []));
  const keep = keptValues(named, [x, output, ...gradients.values(), ...halves]);
  const segments = segmentsOf(forward.nodesOfLayer, config.checkpointSegments).map(nodesFor);
  const computed = segments.length > 0 ? CHECKPOINT_PASS.get().checkpoint(named, segments, keep) : named;
  // Fused kernels compute both gradients of a layer at once.
  const kept = options.partition && !config.fuse ? options.partition.ordered(computed) : computed;
  // A model in half precision adds its gradients up in it, be the optimiser's in float32 or not; what fully_shard
  // reduces in float32 is added up in float32.
  const ofModel = modelHalf(config.precision);
  const sumsHalf = ofModel ?? reduceHalf(config);
  const parameters = made.map(({ name, value, cut, sum }) => ({
    name,
    gradient: at(finished.values, value).name,
    fresh: at(named.values, value).name,
    ...(sumsHalf && (ofModel || at(named.values, value).half === sumsHalf) ? { half: sumsHalf } : {}),
    ...(cut.length === 0 ? {} : { cutAlong: cut }),
    ...(sum.length === 0 ? {} : { sumAlong: sum }),
  }));
  const reached = new Map(parameters.map((p) => [p.name, p]));
  return {
    graph: config.fuse ? FUSION_PASSES.get().fuse(kept, keep, { seedAfterLoss: config.gradScaler.enabled }) : kept,
    input: nameOf(x),
    output: nameOf(output),
    outputGradient,
    inputGradient: inputGradient === undefined ? undefined : nameOf(inputGradient),
    parameters,
    registered: used.map(({ name }) => reached.get(name) ?? { name, gradient: `${name}.grad`, fresh: `${name}.grad` }),
    masks: forward.masks.map((mask) => {
      const [region, half] = [regionOf(mask.name), halfWith(finished, mask.name)];
      return { ...mask, ...(region ? { region } : {}), ...(half ? { half } : {}) };
    }),
    regions: cutGraph.regionsIn(finished),
    lossGradient: 1 / config.accumulate,
  };
}

/** The half format in which the operator computes that reads this mask. */
function halfWith({ nodes, values }: Graph, mask: string): HalfFormat | undefined {
  const id = values.findIndex(({ name }) => name === mask);
  const reader = nodes.find(({ phase, inputs }) => phase === 'forward' && inputs.includes(id));
  return reader && at(values, at(reader.outputs, 0)).half;
}

/** What keeps values of a lane in half precision; undefined: its layers compute in float32. */
export const halvesOf = (config: Config, lane: LaneBuilder): HalfValues | undefined =>
  halfOf(config) === undefined ? undefined : new (MIXED_PRECISION.get().HalfValues)(lane);

/** Which operators compute in half precision; undefined: none does. */
export function forwardPrecision(config: Config): ForwardPrecision | undefined {
  const half = halfOf(config);
  if (half === undefined) return undefined;
  const { Autocast, AllInHalf } = MIXED_PRECISION.get();
  if (policyHalf(config)) return new AllInHalf({ format: half, master: false, buffers: false });
  if (modelHalf(config.precision))
    return new AllInHalf({ format: half, master: config.precision !== 'bf16', buffers: true });
  return new Autocast(half);
}

/** Adds the loss of the output and the targets. */
function lossOf(builder: GraphBuilder, input: ModeInput, rows: number, output: ValueId): ValueId {
  const { config, targetShape, targetType } = input;
  const y = builder.value('y', { shape: [rows, ...targetShape], dtype: targetType }, 'target');
  return buildLoss(builder, config.loss, output, y);
}

/** The input of the next stage's graph; the shape is that of one row. */
export type StageOutput = Required<Pick<StageOptions, 'inputName' | 'inputShape' | 'inputType' | 'inputHalf'>>;

export function outputOf({ graph, output }: StageGraph): StageOutput {
  const { type, half } = must(
    graph.values.find(({ name }) => name === output),
    output,
  );
  return { inputName: output, inputShape: type.shape.slice(1), inputType: type.dtype, inputHalf: half };
}

/** checkpoint_sequential: all segments but the last have floor(layers / segments) layers each. */
function segmentsOf(layers: readonly Segment[], segments: number | undefined): readonly Segment[] {
  if (segments === undefined) return [];
  const size = Math.floor(layers.length / segments);
  if (size === 0) return layers.slice(0, -1);
  return Array.from({ length: segments - 1 }, (_, s) => ({
    start: at(layers, s * size).start,
    end: at(layers, (s + 1) * size - 1).end,
  }));
}

/**
 * Values that code outside the graph reads or writes: all but activations and gradients, and those of these that the
 * mode asked for.
 */
function keptValues({ values }: Graph, seen: readonly ValueId[]): ReadonlySet<ValueId> {
  const inner = new Set<Role>(['activation', 'gradient']);
  return new Set([...seen, ...values.flatMap(({ id, role }) => (inner.has(role) ? [] : [id]))]);
}

/** Gives the gradients of one micro-batch names that differ from those of the accumulated gradients. */
function renamed(graph: Graph, fresh: ReadonlySet<ValueId>): Graph {
  return {
    ...graph,
    values: graph.values.map((v) => (fresh.has(v.id) ? { ...v, name: `${v.name}.micro` } : v)),
  };
}

export const nodesOf = (stage: StageGraph, phase: GraphNode['phase']): readonly GraphNode[] =>
  stage.graph.nodes.filter((n) => n.phase === phase);
