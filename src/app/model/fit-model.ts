/**
 * Fits a model and its loss to the rows of a data set: the first layer takes the row's size, the sizes in between
 * follow, the last layer gives the required outputs. A model of another kind (a plain net for images) cannot be fitted.
 * Pure; called when the data changes and after every edit of a layer.
 */

import * as v from 'valibot';
import type { Config, LayerConfig } from '../../protocol/config';
import { lossSchema } from '../../protocol/config';
import type { RowOfData } from '../../protocol/config/data-row';
import { fitLayers, outputOfAll, tooLarge } from './layer-shapes';

/** Sets the last Linear layer's outputs. */
export function withOutputs(layers: readonly LayerConfig[], outputs: number): LayerConfig[] {
  const last = layers.findLastIndex((layer) => layer.type === 'Linear');
  return layers.map((layer, i) => (i === last && layer.type === 'Linear' ? { ...layer, out: outputs } : layer));
}

const readsTokens = ([first]: readonly LayerConfig[]): boolean =>
  first?.type === 'TokenEmbedding' || first?.type === 'Embedding';

/** The fitted layers; undefined if no sizes fit. */
export function fittedLayers(layers: readonly LayerConfig[], row: RowOfData): LayerConfig[] | undefined {
  if (readsTokens(layers) !== (row.kind === 'tokens')) return undefined;
  const ended = withOutputs(layers, row.outputs);
  if (tooLarge(ended, row)) return undefined;
  const fitted = fitLayers(ended, row);
  const wanted = row.kind === 'tokens' ? [...row.shape, row.outputs] : [row.outputs];
  return outputOfAll(fitted, row.shape)?.join() === wanted.join() ? fitted : undefined;
}

/** Chooses a loss with PyTorch's defaults; `mean` or `sum` stays. */
export const withLossType = (loss: Config['loss'], type: Config['loss']['type']): Config['loss'] =>
  loss.type === type ? loss : v.parse(lossSchema, { type, reduction: loss.reduction });

const CLASSES: ReadonlySet<Config['loss']['type']> = new Set(['CrossEntropyLoss', 'NLLLoss']);
const NUMBERS: ReadonlySet<Config['loss']['type']> = new Set(['MSELoss', 'L1Loss', 'SmoothL1Loss', 'HuberLoss']);

/** The present loss if it suits such rows (NLLLoss for classes, L1Loss for numbers), else the usual one. */
export function lossFor(loss: Config['loss'], row: RowOfData): Config['loss'] {
  const kin = row.loss === 'CrossEntropyLoss' ? CLASSES : row.loss === 'MSELoss' ? NUMBERS : new Set([row.loss]);
  return kin.has(loss.type) ? loss : withLossType(loss, row.loss);
}

export function fitToRow(config: Config, row: RowOfData): Config | undefined {
  const layers = fittedLayers(config.model.layers, row);
  return layers && { ...config, model: { layers }, loss: lossFor(config.loss, row) };
}
