/**
 * The interface of the layers. Each torch.nn module is one file in layers/ that exports a LayerDef: its buffers with
 * torch's names, the initial draws of its parameters in torch's order, and its forward nodes. shapes/parameters.ts
 * lists its parameters and the layers inside it. layers/index.ts is the table; model.ts walks it. Layers know no device
 * and no loss.
 */
import type { Attrs, TensorType, ValueId } from '../graph/op';
import type { LayerConfig, LayerOf, LayerType } from '../protocol/config';
import type { Generator } from '../tensor/generator';
import type { DType, Shape } from '../tensor/shape';

/** A tensor that is kept and saved but not trained. */
export interface LayerBuffer {
  readonly name: string;
  readonly shape: Shape;
  readonly dtype: DType;
  /** Initial value of every element. */
  readonly fill: number;
}

/** The ranks over which batch norm computes its statistics (convert_sync_batchnorm). */
export interface Synced {
  readonly ranks: number;
  /** Rows of the batch over all these ranks. */
  readonly rows: number;
}

export interface LayerContext {
  /** model.train() or model.eval(). */
  readonly training: boolean;
  readonly synced?: Synced | undefined;
  typeOf(value: ValueId): TensorType;
  /** The layer's own parameter or buffer with that relative name. */
  parameter(name: string): ValueId;
  buffer(name: string): ValueId;
  /** A parameter of any layer before this one, by its full name. */
  shared(fullName: string): ValueId;
  /** Appends a forward node; returns all outputs. `names` are relative to the layer; the first defaults to 'out'. */
  apply(
    op: string,
    inputs: readonly ValueId[],
    attrs?: Attrs,
    options?: { readonly names?: readonly string[]; readonly into?: readonly (ValueId | undefined)[] },
  ): readonly [ValueId, ...ValueId[]];
  /** The factors of dropout: 0 or 1 / (1 - p); drawn on the host each step, in the order of the forward pass. */
  mask(shape: Shape, p: number): ValueId;
  /** Runs a child by the name that `childrenOf` gives it. */
  run(child: string, x: ValueId): ValueId;
  /** Makes the parameters and buffers of a child and of all layers inside it, without running them. */
  declare(child: string): void;
  /** A context with the child's names, for a layer that uses its child's parameters in its own way. */
  inside(child: string): LayerContext;
}

export interface LayerDef<L = LayerConfig> {
  buffers?(layer: L): readonly LayerBuffer[];
  /** Draws the parameters that `parametersOf` lists, in torch's order; children draw afterwards. */
  init?(layer: L, generator: Generator): readonly Float32Array<ArrayBuffer>[];
  forward(context: LayerContext, layer: L, x: ValueId): ValueId;
}

export type LayerTable = { readonly [T in LayerType]: LayerDef<LayerOf<T>> };
