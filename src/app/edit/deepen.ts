/**
 * Makes a model deeper for a run that needs more layers with weights (for a pipeline's stages, or model parallel's
 * devices). A GPT gets more blocks, other nets more Linear layers before their last one. Pure; the notice that refuses
 * such a run offers this as a button.
 */
import { FACES } from '../../parallel/faces';
import type { Config, LayerConfig } from '../../protocol/config';
import type { RowOfData } from '../../protocol/config/data-row';
import { LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import { withLayers } from './edit-model';

/** The units of added layers, unless the model has narrower ones. */
const MOST_UNITS = 32;

const weighted = ({ model }: Config): number => model.layers.filter(({ type }) => LAYERS_WITH_WEIGHTS.has(type)).length;

/** The number of layers with weights that the run lacks; 0: enough. */
export const layersMissing = (config: Config): number =>
  Math.max(0, (FACES[config.mode].layersWanted?.(config) ?? 0) - weighted(config));

/** The same run with as many layers as it needs; undefined if it has enough, or cannot have so many. */
export function deepened(config: Config, row: RowOfData | undefined): Config | undefined {
  const missing = layersMissing(config);
  if (missing === 0) return undefined;
  const { layers } = config.model;
  const edit = withLayers(config, moreBlocks(layers, missing) ?? moreLinear(layers, missing), row);
  return edit.ok && layersMissing(edit.config) === 0 ? edit.config : undefined;
}

/** Adds copies of the last block after it, with new names. */
function moreBlocks(layers: readonly LayerConfig[], missing: number): readonly LayerConfig[] | undefined {
  const last = layers.findLastIndex(({ type }) => type === 'TransformerBlock');
  const block = layers[last];
  if (block?.type !== 'TransformerBlock') return undefined;
  const [, stem, number] = /^(.*?)(\d+)$/.exec(block.name ?? '') ?? [];
  const copies = Array.from({ length: missing }, (_, i): LayerConfig => {
    if (stem !== undefined) return { ...block, name: `${stem}${Number(number) + 1 + i}` };
    const { name: _name, ...unnamed } = block;
    return unnamed;
  });
  return layers.toSpliced(last + 1, 0, ...copies);
}

/** Adds Linear layers before the last one, each after an activation of the model's kind. */
function moreLinear(layers: readonly LayerConfig[], missing: number): readonly LayerConfig[] {
  const last = layers.findLastIndex(({ type }) => type === 'Linear');
  const end = layers[last];
  if (end?.type !== 'Linear') return layers;
  const units = Math.min(end.in, MOST_UNITS);
  const activation = layers.find(({ type }) => type === 'ReLU' || type === 'Tanh' || type === 'GELU') ?? {
    type: 'ReLU',
  };
  const added = Array.from({ length: missing }, (_, i): LayerConfig[] => [
    { type: 'Linear', in: i === 0 ? end.in : units, out: units, bias: true },
    activation,
  ]);
  return layers.toSpliced(last, 1, ...added.flat(), { ...end, in: units });
}
