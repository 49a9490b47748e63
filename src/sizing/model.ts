/**
 * A model by its shapes alone: what each layer holds, computes and keeps for one row of the batch. Nothing is trained
 * here; `step.ts` adds the layers up to gigabytes and milliseconds. Counts are for training under autocast: activations
 * have 2 bytes per element, weights and gradients 4.
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

/** What stays on one device when the model is cut: a residual block, an embedding, a head. */
export interface ModelPart {
  readonly name: string;
  readonly layers: readonly Layer[];
  /** Elements of its output for one row: what crosses to the next device, and what checkpointing keeps. */
  readonly output: number;
}

export interface Model {
  readonly id: string;
  readonly label: string;
  /** What one row of the batch is. */
  readonly row: string;
  /** Tokens in one row; 1 for pictures. */
  readonly tokens: number;
  /** Rows of the data set that the model is known from. */
  readonly data: { readonly name: string; readonly rows: number };
  readonly optimizer: 'SGD with momentum' | 'AdamW';
  /** Values that the optimiser keeps for each parameter. */
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

/** Bytes kept for backward by one row in one part. */
export const keptOfPart = (part: ModelPart): number => sum(part.layers, ({ kept }) => kept);

export const macsOfPart = (part: ModelPart): number => sum(part.layers, ({ macs }) => macs);
