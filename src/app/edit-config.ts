/**
 * Edits of a Config as the page makes them: pure functions from Config to Config. An edit never yields an invalid Config;
 * where a value does not fit, it says why in one sentence and the old Config stays. Changing the data adapts the net's
 * first and last layer and the loss; the net in between is kept.
 */
import * as v from 'valibot';
import { type Config, configSchema, type DataConfig, dataSchema, type LayerConfig, LIMITS } from '../protocol/config';
import { rangeOf, rangeText, type SettingPath } from './setting-ranges';

export type Edit = { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly problem: string };

const done = (config: Config): Edit => ({ ok: true, config });
const refused = (problem: string): Edit => ({ ok: false, problem });

function put(target: unknown, path: SettingPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const copy: Record<string, unknown> = { ...(typeof target === 'object' ? target : {}) };
  const next = put(copy[key], rest, value);
  // An optional setting that is taken away must be absent, not undefined.
  if (next === undefined) delete copy[key];
  else copy[key] = next;
  return copy;
}

/** Puts one value; `undefined` takes an optional setting away. */
export function withSetting(config: Config, path: SettingPath, value: unknown): Edit {
  const range = rangeOf(config, path);
  if (!range) return refused(`there is no such setting with ${optionOf(config, path)}`);
  const parsed = v.safeParse(configSchema, put(config, path, value));
  return parsed.success ? done(parsed.output) : refused(`allowed is ${rangeText(range)}`);
}

const optionOf = (config: Config, path: SettingPath) =>
  path[0] === 'data' ? `data "${config.data.type}"` : path[0] === 'optimizer' ? config.optimizer.type : 'this run';

/** PyTorch's defaults of that optimiser. */
export function withOptimizer(config: Config, type: Config['optimizer']['type']): Config {
  return v.parse(configSchema, { ...config, optimizer: { type } });
}

export type ToyData = 'circle' | 'xor' | 'gauss' | 'spiral' | 'plane';
export type BuiltInData = ToyData | 'randomRegression';
export const BUILT_IN_DATA: readonly BuiltInData[] = ['circle', 'xor', 'gauss', 'spiral', 'plane', 'randomRegression'];

export const isToy = (data: DataConfig): data is Extract<DataConfig, { type: ToyData }> =>
  data.type !== 'randomRegression' && data.type !== 'csv' && data.type !== 'npy';

/** Another built-in; what the two have in common (test split; noise and samples between the toys) stays. */
export function withData(config: Config, type: BuiltInData): Config {
  const old = config.data;
  const kept = isToy(old) && type !== 'randomRegression' ? { samples: old.samples, noise: old.noise } : {};
  const data = v.parse(dataSchema, { ...kept, type, testFraction: old.testFraction });
  return fitToData({ ...config, data });
}

/** Sizes and loss that a built-in asks for. A file's are known only when it is read. */
export function fitToData(config: Config): Config {
  const { data } = config;
  if (data.type === 'csv' || data.type === 'npy') return config;
  if (data.type === 'randomRegression') return fitNet(config, data.in, data.out, 'MSELoss');
  if (data.type === 'plane') return fitNet(config, 2, 1, 'MSELoss');
  const twoClasses = config.loss.type === 'CrossEntropyLoss';
  return fitNet(config, 2, twoClasses ? 2 : 1, twoClasses ? 'CrossEntropyLoss' : 'BCEWithLogitsLoss');
}

export function fitNet(config: Config, inputs: number, outputs: number, loss: Config['loss']['type']): Config {
  const linear = config.model.layers.flatMap((layer, index) => (layer.type === 'Linear' ? [index] : []));
  const layers = config.model.layers.map((layer, index): LayerConfig => {
    if (layer.type !== 'Linear') return layer;
    return {
      ...layer,
      in: index === linear[0] ? inputs : layer.in,
      out: index === linear.at(-1) ? outputs : layer.out,
    };
  });
  return { ...config, model: { layers }, loss: { ...config.loss, type: loss } };
}

/** The loss, with the number of outputs it needs where the data has two classes. */
export function withLoss(config: Config, type: Config['loss']['type']): Config {
  const next = { ...config, loss: { ...config.loss, type } };
  const classes = isToy(config.data) && config.data.type !== 'plane';
  const sizes = netSizes(next);
  const inputs = sizes?.[0];
  if (!classes || inputs === undefined) return next;
  return fitNet(next, inputs, type === 'CrossEntropyLoss' ? 2 : 1, type);
}

export type Activation = 'relu' | 'tanh' | 'sigmoid' | 'gelu' | 'gelu-tanh';
export const ACTIVATIONS: Readonly<Record<Activation, LayerConfig>> = {
  relu: { type: 'ReLU' },
  tanh: { type: 'Tanh' },
  sigmoid: { type: 'Sigmoid' },
  gelu: { type: 'GELU', approximate: 'none' },
  'gelu-tanh': { type: 'GELU', approximate: 'tanh' },
};
export const ACTIVATION_NAMES = Object.keys(ACTIVATIONS) as readonly Activation[];

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** A plain net: Linear layers with bias and one kind of activation between them. */
export interface PlainNet {
  /** Inputs, hidden units, outputs. */
  readonly sizes: readonly number[];
  readonly activation: Activation;
}

export function plainLayers({ sizes, activation }: PlainNet): readonly LayerConfig[] {
  return sizes.slice(1).flatMap((out, index): LayerConfig[] => {
    const linear: LayerConfig = { type: 'Linear', in: sizes[index] ?? 1, out, bias: true };
    return index === 0 ? [linear] : [ACTIVATIONS[activation], linear];
  });
}

/** Undefined when the model is not such a net. A net without hidden layer counts as tanh. */
export function plainNet(config: Config): PlainNet | undefined {
  const { layers } = config.model;
  const sizes = netSizes(config);
  if (!sizes) return undefined;
  const activation =
    ACTIVATION_NAMES.find((name) => same(ACTIVATIONS[name], layers[1])) ?? (layers.length === 1 ? 'tanh' : undefined);
  if (!activation) return undefined;
  const net = { sizes, activation };
  const expected = plainLayers(net);
  const fits = layers.length === expected.length && layers.every((layer, i) => sameLayer(layer, expected[i]));
  return fits ? net : undefined;
}

const sameLayer = (a: LayerConfig, b: LayerConfig | undefined) =>
  a.type === 'Linear' && b?.type === 'Linear' ? a.in === b.in && a.out === b.out && a.bias === b.bias : same(a, b);

/** Inputs and the outputs of each Linear layer; undefined when there is none. */
export function netSizes(config: Config): readonly number[] | undefined {
  const linear = config.model.layers.filter((layer) => layer.type === 'Linear');
  const first = linear[0];
  return first && [first.in, ...linear.map((layer) => layer.out)];
}

const PLAIN_ONLY = 'this model is not a plain stack of Linear layers with one activation';

export function withNet(config: Config, net: PlainNet): Edit {
  const bad = net.sizes.find((size) => !Number.isInteger(size) || size < 1 || size > LIMITS.units);
  if (bad !== undefined) return refused(`a layer has from 1 to ${LIMITS.units} units, not ${bad}`);
  if (net.sizes.length < 2) return refused('a model has at least one layer');
  if (net.sizes.length - 1 > LIMITS.layers) return refused(`a model has at most ${LIMITS.layers} layers`);
  // A split names layers of the old net; the even split of the new one is the honest start.
  const { split: _, ...modelParallel } = config.modelParallel;
  const keeps = plainLayers(net).length === config.model.layers.length;
  return done({
    ...config,
    model: { layers: [...plainLayers(net)] },
    modelParallel: keeps ? config.modelParallel : modelParallel,
  });
}

/** Adds a hidden layer as wide as the last hidden one, or takes the last hidden layer away. */
export function withHiddenLayers(config: Config, change: 1 | -1): Edit {
  const net = plainNet(config);
  if (!net) return refused(PLAIN_ONLY);
  const hidden = net.sizes.slice(1, -1);
  if (change === -1 && hidden.length === 0) return refused('there is no hidden layer to take away');
  const next = change === 1 ? [...hidden, hidden.at(-1) ?? 8] : hidden.slice(0, -1);
  return withNet(config, { ...net, sizes: [net.sizes[0] ?? 1, ...next, net.sizes.at(-1) ?? 1] });
}

/** `layer` counts the sizes: 1 is the first hidden layer. */
export function withUnits(config: Config, layer: number, units: number): Edit {
  const net = plainNet(config);
  if (!net) return refused(PLAIN_ONLY);
  return withNet(config, { ...net, sizes: net.sizes.map((size, index) => (index === layer ? units : size)) });
}

export function withActivation(config: Config, activation: Activation): Edit {
  const net = plainNet(config);
  return net ? withNet(config, { ...net, activation }) : refused(PLAIN_ONLY);
}

/** Layers on each device. */
export function withSplit(config: Config, split: readonly number[]): Edit {
  const total = split.reduce((sum, layers) => sum + layers, 0);
  const layers = config.model.layers.length;
  if (split.some((count) => count < 1)) return refused('each device holds at least one layer');
  if (total !== layers) return refused(`the split places ${total} layers, the model has ${layers}`);
  return done({ ...config, worldSize: split.length, modelParallel: { ...config.modelParallel, split: [...split] } });
}

/** Another number of devices; a split for the old number goes, the even one comes. */
export function withWorldSize(config: Config, worldSize: number): Edit {
  const { split, ...rest } = config.modelParallel;
  const keeps = split === undefined || split.length === worldSize;
  return withSetting(keeps ? config : { ...config, modelParallel: rest }, ['worldSize'], worldSize);
}

/** Another mode over the same seed, data and net. Model parallel takes as many devices as there are layers with weights. */
export function withMode(config: Config, mode: Config['mode']): Config {
  const linear = config.model.layers.filter((layer) => layer.type === 'Linear').length;
  if (mode !== 'modelParallel' || config.worldSize <= linear || linear === 0) return { ...config, mode };
  const fewer = withWorldSize({ ...config, mode }, linear);
  return fewer.ok ? fewer.config : { ...config, mode };
}
