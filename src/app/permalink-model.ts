/**
 * The net in a permalink: `layers=2-8-8-1` and `act=tanh` for a plain one, `model=Linear(2,8),ReLU,Linear(8,1,nobias)` for
 * any other. Printer and parser stand side by side; permalink.ts calls them.
 */
import * as v from 'valibot';
import { type Config, type LayerConfig, LIMITS, layerSchema } from '../protocol/config';
import { ACTIVATION_NAMES, type Activation, type Edit, plainNet, withNet } from './edit-config';

export const NET_KEYS = ['layers', 'act', 'model'] as const;
export type NetKey = (typeof NET_KEYS)[number];

function printLayer(layer: LayerConfig): string {
  if (layer.type === 'Linear') return `Linear(${layer.in},${layer.out}${layer.bias ? '' : ',nobias'})`;
  return layer.type === 'GELU' && layer.approximate === 'tanh' ? 'GELU(tanh)' : layer.type;
}

function parseLayer(text: string): LayerConfig | undefined {
  const [, type, argumentText = ''] = /^(\w+)(?:\(([\w,]*)\))?$/.exec(text) ?? [];
  const args = argumentText === '' ? [] : argumentText.split(',');
  const raw =
    type === 'Linear' && (args.length === 2 || args[2] === 'nobias')
      ? { type, in: Number(args[0]), out: Number(args[1]), bias: args.length === 2 }
      : type === 'GELU' && args.length === 1
        ? { type, approximate: args[0] }
        : args.length === 0
          ? { type }
          : undefined;
  const parsed = v.safeParse(layerSchema, raw);
  return parsed.success ? parsed.output : undefined;
}

/** What differs from `base`, which is a plain net. */
export function printNet(config: Config, base: Config): readonly (readonly [NetKey, string])[] {
  const net = plainNet(config);
  const baseNet = plainNet(base);
  if (!net) return [['model', config.model.layers.map(printLayer).join(',')]];
  const pairs: [NetKey, string][] = [];
  const sizes = net.sizes.join('-');
  if (sizes !== baseNet?.sizes.join('-')) pairs.push(['layers', sizes]);
  if (net.activation !== baseNet?.activation && net.sizes.length > 2) pairs.push(['act', net.activation]);
  return pairs;
}

const isActivation = (text: string): text is Activation => ACTIVATION_NAMES.some((name) => name === text);

export const NET_ALLOWED: Readonly<Record<NetKey, string>> = {
  layers: `2 to ${LIMITS.layers + 1} whole numbers from 1 to ${LIMITS.units}, as in 2-8-8-1`,
  act: `one of ${ACTIVATION_NAMES.join(', ')}`,
  model: 'layers as in Linear(2,8),ReLU,Linear(8,1)',
};

export function parseNet(config: Config, key: NetKey, text: string): Edit {
  const problem = { ok: false, problem: `allowed is ${NET_ALLOWED[key]}` } as const;
  if (key === 'model') {
    const layers = (text.match(/\w+(\([^)]*\))?/g) ?? []).map(parseLayer);
    const known = layers.filter((layer) => layer !== undefined);
    const count = known.length === layers.length ? layers.length : 0;
    return count > 0 && count <= 2 * LIMITS.layers
      ? { ok: true, config: { ...config, model: { layers: known } } }
      : problem;
  }
  const net = plainNet(config) ?? { sizes: [2, 1], activation: 'tanh' };
  const next =
    key === 'layers'
      ? { ...net, sizes: /^\d+(-\d+)*$/.test(text) ? text.split('-').map(Number) : [] }
      : { ...net, activation: isActivation(text) ? text : undefined };
  if (next.activation === undefined) return problem;
  const edit = withNet(config, { sizes: next.sizes, activation: next.activation });
  return edit.ok ? edit : problem;
}
