/**
 * Words of the layers' settings. A name means the same in most layers; a layer in which it means something else has its
 * own words.
 */
import type { LayerConfig, LayerType } from '../config/layers';
import { type NameIn, type Setting, settings } from './setting';

export type LayerField = NameIn<LayerConfig>;

export const LAYER = settings<LayerField>('model.layers', {
  name: [
    'Name',
    "Prefix of the names of the layer's parameters, in place of its index; dots nest, an empty name adds nothing.",
  ],
  in: ['Inputs', 'in_features or in_channels: the output size of the layer before.'],
  out: ['Units', 'out_features'],
  tied: ['Tied to', 'Full name of an earlier parameter that is used as the weight.'],
  bias: ['bias', 'Whether the layer adds a bias.'],
  approximate: ['Approximation', 'none: the exact GELU with erf; tanh: its approximation.'],
  negativeSlope: ['Slope', 'negative_slope: slope for negative numbers.'],
  alpha: ['Alpha', 'alpha: for large negative numbers the layer gives almost -alpha.'],
  p: ['Probability', 'p: probability with which an element is set to zero in training.'],
  kernel: ['Kernel', 'kernel_size: one number, or height and width.'],
  stride: ['Stride', 'stride: pixels from one window to the next; in pooling, by default the kernel’s size.'],
  padding: [
    'Padding',
    'padding: zeros added on every side (a maximum ignores them); for a convolution also same, which keeps the size.',
  ],
  ceilMode: ['ceil_mode', 'ceil_mode: a last window that reaches beyond the image counts as well.'],
  countIncludePad: ['count_include_pad', 'count_include_pad: the mean counts the zeros of the padding.'],
  dilation: ['Dilation', 'dilation: pixels from one element of the kernel to the next.'],
  groups: ['Groups', 'groups: number of groups of channels that are convolved separately.'],
  output: ['Output', 'output_size: one number, or height and width.'],
  features: ['Features', 'num_features or normalized_shape: channels, or the size of the last dimension.'],
  channels: ['Channels', 'num_channels: channels of the input.'],
  affine: ['affine', 'Whether a weight and a bias are learned after normalising.'],
  eps: ['Epsilon', 'eps: added to the variance, so that it is never zero.'],
  momentum: ['Momentum', 'momentum: share of the new batch in the running statistics.'],
  vocab: ['Vocabulary', 'num_embeddings: number of different tokens.'],
  width: ['Width', 'embedding_dim: numbers for each token.'],
  paddingIdx: ['Padding token', 'padding_idx: a token whose vector stays zero; by default none.'],
  context: ['Context', 'The longest sequence, in tokens.'],
  heads: ['Heads', 'num_heads: number of attention heads, a divisor of the width.'],
  causal: ['causal', 'Whether a position sees only itself and earlier positions.'],
  expansion: ['Expansion', 'Width of the hidden layer, as a multiple of the width.'],
  dropout: ['Dropout', 'dropout: probability of dropout after attention and after the hidden layer.'],
  layers: ['Layers', 'The branch: its output is added to its input.'],
  shortcut: ['Shortcut', 'Layers that the input goes through before it is added; by default none.'],
});

export const LAYER_OWN: { readonly [T in LayerType]?: { readonly [F in LayerField]?: Setting } } = {
  Conv2d: settings('model.layers', { out: ['Channels', 'out_channels'] }),
  LayerNorm: settings('model.layers', { bias: ['bias', 'bias: whether a bias is learned beside the weight.'] }),
  GroupNorm: settings('model.layers', {
    groups: ['Groups', 'num_groups: number of groups of channels that are normalised separately.'],
  }),
  Unused: settings('model.layers', {
    layers: ['Layers', 'Modules that forward() does not call: parameters without a gradient.'],
  }),
};
