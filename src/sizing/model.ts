/**
 * A model described only by its shapes: what each layer holds, computes and keeps for one row of the batch. Nothing is
 * trained here; `step.ts` sums the layers to gigabytes and milliseconds. Counts are for training under autocast:
 * activations have 2 bytes per element, weights and gradients 4.
 */

/** Kernels that run together, such as a convolution with its norm, or one projection. */
export interface Layer {
  readonly name: string;
  /** The elements of each parameter tensor, in the order in which the module registers them. */
  readonly parameters: readonly number[];
  /** Multiply-adds of the forward pass for one row. */
  readonly macs: number;
  /** Elements that the kernels read and write in memory for one row, beside the weights. */
  readonly moved: number;
  /** Bytes that autograd keeps for one row until backward. */
  readonly kept: number;
  readonly kernels: number;
}

/** A part that stays on one device if the model is divided: a residual block, an embedding, a head. */
export interface ModelPart {
  readonly name: string;
  readonly layers: readonly Layer[];
  /** Elements of the part's output for one row, which are sent to the next device and kept by checkpointing. */
  readonly output: number;
}

export interface Model {
  readonly id: string;
  readonly label: string;
  /** Words for one row of the batch. */
  readonly row: string;
  /** Tokens in one row; 1 for pictures. */
  readonly tokens: number;
  /** The rows of the data set on which the model was trained. */
  readonly data: { readonly name: string; readonly rows: number };
  readonly optimizer: 'SGD with momentum' | 'AdamW';
  /** The number of values that the optimiser keeps per parameter. */
  readonly states: number;
  readonly parts: readonly ModelPart[];
  /** Elements in each batch norm's mean and variance, one entry per layer; empty without batch norm. */
  readonly batchNorms: readonly number[];
}

export const sum = <T>(of: readonly T[], value: (one: T) => number): number =>
  of.reduce((total, one) => total + value(one), 0);

export const parametersOfPart = (part: ModelPart): number =>
  sum(part.layers, ({ parameters }) => sum(parameters, (count) => count));

export const parametersOf = (model: Model): number => sum(model.parts, parametersOfPart);

/** The bytes that one row keeps for backward in one part. */
export const keptOfPart = (part: ModelPart): number => sum(part.layers, ({ kept }) => kept);

export const macsOfPart = (part: ModelPart): number => sum(part.layers, ({ macs }) => macs);
