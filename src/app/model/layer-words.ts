/**
 * A layer in words, as PyTorch prints it where it is short: 'Conv2d 1→8, 3×3', 'TransformerBlock 64, 4 heads'. And the
 * shape of a row. Pure.
 */
import { asPair, type LayerConfig, type NumberOrPair } from '../../protocol/config';
import type { LayerShape } from './layer-shapes';

const square = (pair: NumberOrPair): string => asPair(pair).join('×');

/** The sizes after the type. */
export function layerSizes(layer: LayerConfig): string {
  switch (layer.type) {
    case 'Linear':
      return `${layer.in}→${layer.out}${layer.tied === undefined ? '' : ', tied'}`;
    case 'Conv2d':
      return `${layer.in}→${layer.out}, ${square(layer.kernel)}${layer.groups > 1 ? `, ${layer.groups} groups` : ''}`;
    case 'MaxPool2d':
    case 'AvgPool2d':
      return square(layer.kernel);
    case 'AdaptiveAvgPool2d':
      return square(layer.output);
    case 'BatchNorm1d':
    case 'BatchNorm2d':
    case 'LayerNorm':
      return String(layer.features);
    case 'GroupNorm':
      return `${layer.groups} × ${layer.channels / layer.groups}`;
    case 'Embedding':
      return `${layer.vocab}→${layer.width}`;
    case 'TokenEmbedding':
      return `${layer.vocab}→${layer.width}, ${layer.context} places`;
    case 'MultiheadAttention':
    case 'TransformerBlock':
      return `${layer.width}, ${layer.heads} ${layer.heads === 1 ? 'head' : 'heads'}`;
    case 'Dropout':
      return `p ${layer.p}`;
    case 'LeakyReLU':
      return String(layer.negativeSlope);
    case 'ELU':
      return `alpha ${layer.alpha}`;
    case 'GELU':
      return layer.approximate === 'tanh' ? 'tanh' : '';
    case 'Residual':
      return `${layer.layers.map(({ type }) => type).join(', ')}${layer.shortcut ? ' + shortcut' : ''}`;
    case 'Unused':
      return layer.layers.map(({ type }) => type).join(', ');
    default:
      return '';
  }
}

export const layerText = (layer: LayerConfig): string => `${layer.type} ${layerSizes(layer)}`.trim();

export const shapeText = (shape: LayerShape | undefined): string => (shape ? shape.join('×') : '?');

/** The module's path: 'blocks.0', or the index in the Sequential. */
export const modulePath = (layer: LayerConfig, index: number): string => layer.name ?? String(index);
