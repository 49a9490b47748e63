/**
 * The net in a permalink: `layers=2-8-8-1` and `act=tanh` for a plain net, `channels=8-16` for the presets'
 * convolutional net, `gpt=2-4-64` (layers, heads, width) for the presets' GPT, `model=conv8k3p1-bn-relu-...` for any
 * other (permalink-layers.ts). Printer and parser are side by side; permalink.ts calls them.
 */
import { type Config, LIMITS } from '../../protocol/config';
import { rowOf } from '../../protocol/config/data';
import type { RowOfData } from '../../protocol/config/data-row';
import type { Edit } from '../edit/edit-config';
import { plainNet, withChannels, withGpt, withNet } from '../edit/edit-model';
import { ACTIVATION_NAMES, type Activation, channelsOf, gptNetOf, same } from '../model/families';
import { parseLayerList, printLayers } from './permalink-layers';

export const NET_KEYS = ['layers', 'act', 'channels', 'gpt', 'model'] as const;
export type NetKey = (typeof NET_KEYS)[number];

const rowIn = (config: Config): RowOfData | undefined => rowOf(config.data, config.loss.type);

/** The pairs for what differs from `base`. */
export function printNet(config: Config, base: Config): readonly (readonly [NetKey, string])[] {
  const { layers } = config.model;
  if (same(layers, base.model.layers)) return [];
  const row = rowIn(base);
  // Whether the parser would make the same net of this text; only then it is written.
  const makes = (edit: Edit): boolean => edit.ok && same(edit.config.model.layers, layers);
  const channels = row?.kind === 'image' ? channelsOf(layers, row) : undefined;
  if (channels && makes(withChannels(base, channels, row))) return [['channels', channels.join('-')]];
  const gpt = row?.kind === 'tokens' ? gptNetOf(layers) : undefined;
  if (gpt && makes(withGpt(base, gpt, row))) return [['gpt', `${gpt.layers}-${gpt.heads}-${gpt.width}`]];
  const net = plainNet(config);
  const baseNet = plainNet(base);
  if (!net || net.flat !== baseNet?.flat) return [['model', printLayers(layers, row)]];
  const pairs: [NetKey, string][] = [];
  const sizes = net.sizes.join('-');
  if (sizes !== baseNet?.sizes.join('-')) pairs.push(['layers', sizes]);
  if (net.activation !== baseNet?.activation && net.sizes.length > 2) pairs.push(['act', net.activation]);
  return pairs;
}

/** Pairs for every layer, even if the preset has the same layers. */
export const printWholeNet = (config: Config): readonly (readonly [NetKey, string])[] => [
  ['model', printLayers(config.model.layers, rowIn(config))],
];

const isActivation = (text: string): text is Activation => ACTIVATION_NAMES.some((name) => name === text);

const NET_ALLOWED: Readonly<Record<NetKey, string>> = {
  layers: `2 to ${LIMITS.layers + 1} whole numbers from 1 to ${LIMITS.units}, as in 2-8-8-1`,
  act: `one of ${ACTIVATION_NAMES.join(', ')}`,
  channels: 'two whole numbers, as in 8-16, for data of images',
  gpt: 'layers, heads and width, as in 2-4-64, for data of tokens',
  model: 'layers as in conv8k3p1-bn-relu-pool2-flatten-linear10',
};

export function parseNet(config: Config, key: NetKey, text: string): Edit {
  const problem = { ok: false, problem: `must be ${NET_ALLOWED[key]}` } as const;
  const row = rowIn(config);
  const numbers = /^\d+(-\d+)*$/.test(text) ? text.split('-').map(Number) : [];
  const [first = 0, second = 0, third = 0] = numbers;
  const edited = (edit: Edit): Edit => (edit.ok ? edit : problem);
  if (key === 'model') {
    const layers = parseLayerList(text, row);
    const fits = layers !== undefined && layers.length > 0 && layers.length <= 2 * LIMITS.layers;
    return fits ? { ok: true, config: { ...config, model: { layers } } } : problem;
  }
  if (key === 'channels') {
    return numbers.length === 2 && row?.kind === 'image' ? edited(withChannels(config, [first, second], row)) : problem;
  }
  if (key === 'gpt') {
    const net = { layers: first, heads: second, width: third };
    return numbers.length === 3 && row?.kind === 'tokens' ? edited(withGpt(config, net, row)) : problem;
  }
  const net = plainNet(config) ?? { sizes: [2, 1], activation: 'tanh' };
  if (key === 'layers') return edited(withNet(config, { ...net, sizes: numbers }));
  return isActivation(text) ? edited(withNet(config, { ...net, activation: text })) : problem;
}
