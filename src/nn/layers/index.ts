/** The table of layers: the definition of each type in the configuration. */
import type { LayerConfig } from '../../protocol/config';
import type { LayerDef, LayerTable } from '../layer';
import * as activations from './activations';
import { multiheadAttention, transformerBlock } from './attention';
import { conv2d } from './convolution';
import { dropout } from './dropout';
import { embedding, tokenEmbedding } from './embedding';
import { linear } from './linear';
import { batchNorm1d, batchNorm2d, groupNorm, layerNorm } from './normalization';
import { adaptiveAvgPool2d, avgPool2d, flatten, maxPool2d } from './pooling';
import { residual } from './residual';
import { unused } from './unused';

const LAYERS: LayerTable = {
  Linear: linear,
  ReLU: activations.relu,
  Tanh: activations.tanh,
  Sigmoid: activations.sigmoid,
  GELU: activations.gelu,
  LeakyReLU: activations.leakyRelu,
  ELU: activations.elu,
  SiLU: activations.silu,
  Softplus: activations.softplus,
  Softmax: activations.softmax,
  LogSoftmax: activations.logSoftmax,
  Dropout: dropout,
  Flatten: flatten,
  Conv2d: conv2d,
  MaxPool2d: maxPool2d,
  AvgPool2d: avgPool2d,
  AdaptiveAvgPool2d: adaptiveAvgPool2d,
  BatchNorm1d: batchNorm1d,
  BatchNorm2d: batchNorm2d,
  LayerNorm: layerNorm,
  GroupNorm: groupNorm,
  Embedding: embedding,
  TokenEmbedding: tokenEmbedding,
  MultiheadAttention: multiheadAttention,
  TransformerBlock: transformerBlock,
  Residual: residual,
  Unused: unused,
};

/** The definition of a layer; it is only called with layers of its own type. */
export const layerDef = (layer: LayerConfig): LayerDef => LAYERS[layer.type] as unknown as LayerDef;
