/**
 * Questions about kinds of layers: which have weights and are worth their own device, which are batch norms. Pure;
 * called by the modes, the settings' editor and the stage.
 */
import type { LayerConfig, LayerType } from './layers';

/** Normalisation, activations and pooling stay with the layer before them. */
export const LAYERS_WITH_WEIGHTS: ReadonlySet<LayerType> = new Set([
  'Linear',
  'Conv2d',
  'Embedding',
  'TokenEmbedding',
  'MultiheadAttention',
  'TransformerBlock',
  'Residual',
]);

/** Elementwise layers: a rank with a part of the input computes the same part of the output. */
export const POINTWISE_LAYERS: ReadonlySet<LayerType> = new Set([
  'ReLU',
  'Tanh',
  'Sigmoid',
  'GELU',
  'LeakyReLU',
  'ELU',
  'SiLU',
  'Softplus',
  'Dropout',
]);

/** Number of batch norms, including those inside residual blocks. */
export const batchNorms = (layers: readonly LayerConfig[]): number =>
  layers.reduce((n, layer) => {
    if (layer.type === 'Residual') return n + batchNorms([...layer.layers, ...(layer.shortcut ?? [])]);
    return n + Number(layer.type === 'BatchNorm1d' || layer.type === 'BatchNorm2d');
  }, 0);

/** Whether the model draws masks. */
export const hasDropout = (layers: readonly LayerConfig[]): boolean =>
  layers.some((layer) => {
    if (layer.type === 'Residual') return hasDropout([...layer.layers, ...(layer.shortcut ?? [])]);
    return (layer.type === 'Dropout' && layer.p > 0) || (layer.type === 'TransformerBlock' && layer.dropout > 0);
  });

/** Whether the model has modules that forward does not use. */
export const hasUnused = (layers: readonly LayerConfig[]): boolean =>
  layers.some((layer) => {
    if (layer.type === 'Residual') return hasUnused([...layer.layers, ...(layer.shortcut ?? [])]);
    return layer.type === 'Unused';
  });
