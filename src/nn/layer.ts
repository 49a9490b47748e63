/**
 * The seam of the layers. One torch.nn module is one file in layers/ that exports a LayerDef: its buffers by torch's
 * names, the initial draws of its parameters in torch's order, and its forward nodes; which parameters it has, and
 * which layers inside it, is in shapes/parameters.ts. layers/index.ts is the table; model.ts walks it. Layers know no
 * device and no loss.
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
  /** Every element before the first step. */
  readonly fill: number;
}

/** The ranks that batch norm takes its statistics over (convert_sync_batchnorm). */
export interface Synced {
  readonly ranks: number;
  /** Rows of the batch, over all of them. */
  readonly rows: number;
}

export interface LayerContext {
  /** model.train() or model.eval(). */
  readonly training: boolean;
  readonly synced?: Synced | undefined;
  typeOf(value: ValueId): TensorType;
  /** The layer's own parameter or buffer of that relative name. */
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
  /** What dropout multiplies by: 0, or 1 / (1 - p); drawn on the host each step, in the order of the forward pass. */
  mask(shape: Shape, p: number): ValueId;
  /** Runs a child by the name that `childrenOf` gives it. */
  run(child: string, x: ValueId): ValueId;
  /** Makes the parameters and buffers of a child and all below it, and runs nothing. */
  declare(child: string): void;
  /** Works as the child of that name would, for a layer that uses its child's parameters in its own way. */
  inside(child: string): LayerContext;
}

export interface LayerDef<L = LayerConfig> {
  buffers?(layer: L): readonly LayerBuffer[];
  /** Draws what `parametersOf` lists, in torch's order; children draw after it. */
  init?(layer: L, generator: Generator): readonly Float32Array<ArrayBuffer>[];
  forward(context: LayerContext, layer: L, x: ValueId): ValueId;
}

export type LayerTable = { readonly [T in LayerType]: LayerDef<LayerOf<T>> };
