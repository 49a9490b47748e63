/**
 * What kinds of layers there are, for those who ask about a kind and not about a layer: which have weights and are
 * worth a device of their own, which are batch norms. Pure; called by the modes, the settings' editor and the stage.
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

/** Each element by itself: a rank that has a part of what comes in computes the same part of what goes out. */
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

/** Their number, those inside residual blocks too. */
export const batchNorms = (layers: readonly LayerConfig[]): number =>
  layers.reduce((n, layer) => {
    if (layer.type === 'Residual') return n + batchNorms([...layer.layers, ...(layer.shortcut ?? [])]);
    return n + Number(layer.type === 'BatchNorm1d' || layer.type === 'BatchNorm2d');
  }, 0);

/** Does the model draw masks? */
export const hasDropout = (layers: readonly LayerConfig[]): boolean =>
  layers.some((layer) => {
    if (layer.type === 'Residual') return hasDropout([...layer.layers, ...(layer.shortcut ?? [])]);
    return (layer.type === 'Dropout' && layer.p > 0) || (layer.type === 'TransformerBlock' && layer.dropout > 0);
  });

/** Has the model modules that forward does not use? */
export const hasUnused = (layers: readonly LayerConfig[]): boolean =>
  layers.some((layer) => {
    if (layer.type === 'Residual') return hasUnused([...layer.layers, ...(layer.shortcut ?? [])]);
    return layer.type === 'Unused';
  });
