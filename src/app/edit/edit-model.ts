/**
 * Replaces the layers of a model and adapts their sizes (model/layer-shapes.ts), so that the page never leaves a list
 * inconsistent. The data determine the model's first and last size: `row` describes a row of the data, undefined while
 * it is unknown. Pure; permalinks need these edits, and edit-layers.ts builds on them.
 */
import { type Config, type LayerConfig, LIMITS } from '../../protocol/config';
import type { RowOfData } from '../../protocol/config/data-row';
import { type Channels, cnnOf, type GptNet, gptOf, type PlainNet, plainLayers, plainNetOf } from '../model/families';
import { withOutputs } from '../model/fit-model';
import { fitLayers, type Source, tooLarge } from '../model/layer-shapes';
import { done, type Edit, refused } from './edit-config';

export const plainNet = (config: Config): PlainNet | undefined => plainNetOf(config.model.layers);

/** The input that the first layer expects, if only the model is known. */
export function impliedSource([first]: readonly LayerConfig[]): Source | undefined {
  if (first?.type === 'Linear') return { shape: [first.in] };
  if (first?.type === 'TokenEmbedding') return { shape: [first.context], vocabulary: first.vocab };
  return undefined;
}

/** Sets the layers with consistent sizes; an even split replaces a split for another number of layers. */
export function withLayers(config: Config, layers: readonly LayerConfig[], row: RowOfData | undefined): Edit {
  if (layers.length === 0) return refused('a model needs at least one layer');
  if (layers.length > 2 * LIMITS.layers) return refused(`a model has at most ${2 * LIMITS.layers} layers`);
  const source = row ?? impliedSource(layers);
  const ended = row ? withOutputs(layers, row.outputs) : [...layers];
  const [index, size] = (source && tooLarge(ended, source)) ?? [];
  if (index !== undefined) {
    return refused(
      `layer ${index} (${ended[index]?.type}) would get ${size} inputs; at most ${LIMITS.units} are allowed`,
    );
  }
  const model = { layers: source ? fitLayers(ended, source) : ended };
  const { split: _, ...modelParallel } = config.modelParallel;
  const { split: _stages, ...pipeline } = config.pipeline;
  if (layers.length === config.model.layers.length) return done({ ...config, model });
  return done({ ...config, model, modelParallel, pipeline });
}

export function withNet(config: Config, net: PlainNet): Edit {
  const bad = net.sizes.find((size) => !Number.isInteger(size) || size < 1 || size > LIMITS.units);
  if (bad !== undefined) return refused(`a layer must have 1 to ${LIMITS.units} units, not ${bad}`);
  if (net.sizes.length < 2) return refused('a model needs at least one layer');
  if (net.sizes.length - 1 > LIMITS.layers) return refused(`a model has at most ${LIMITS.layers} layers`);
  // A split was made for the old net, so the new net starts with an even one.
  const { split: _, ...modelParallel } = config.modelParallel;
  const keeps = plainLayers(net).length === config.model.layers.length;
  return done({
    ...config,
    model: { layers: [...plainLayers(net)] },
    modelParallel: keeps ? config.modelParallel : modelParallel,
  });
}

export function withChannels(config: Config, channels: Channels, row: RowOfData | undefined): Edit {
  if (!row) return refused('the size of the images is not known until their files are read');
  if (channels.some((n) => !Number.isInteger(n) || n < 1 || n > 1024))
    return refused('must be a whole number from 1 to 1024');
  return withLayers(config, cnnOf(channels, row.outputs, row), row);
}

export function withGpt(config: Config, net: GptNet, row: RowOfData | undefined): Edit {
  const first = config.model.layers[0];
  const vocab = row?.vocabulary ?? (first?.type === 'TokenEmbedding' ? first.vocab : undefined);
  const context = row?.shape[0] ?? (first?.type === 'TokenEmbedding' ? first.context : undefined);
  if (vocab === undefined || context === undefined)
    return refused('the vocabulary is not known until the text is read');
  if (!Number.isInteger(net.layers) || net.layers < 1 || net.layers > 24) return refused('must be 1 to 24 layers');
  if (!Number.isInteger(net.width) || net.width < 1 || net.width > 1024)
    return refused('must be a width from 1 to 1024');
  if (!Number.isInteger(net.heads) || net.heads < 1 || net.heads > 64) return refused('must be 1 to 64 heads');
  if (net.width % net.heads !== 0)
    return refused(`embed_dim must be divisible by num_heads, but ${net.width} is not divisible by ${net.heads}`);
  return withLayers(config, gptOf(net, vocab, context), row);
}
