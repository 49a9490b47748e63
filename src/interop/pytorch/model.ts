/**
 * The lines of the listing that make the model, with our parameter names and in the order of our draws: an
 * nn.Sequential (nested if names have dots), or a class if a Sequential cannot have the names (an embedding without
 * prefix). Under model parallel also a class, because a Sequential stays on one device.
 */
import type { LayerConfig } from '../../protocol/config';
import { classAttributes, EMBED } from './class-attributes';
import { classCode, contiguousAttention } from './classes';
import { allLayers, sequentialCode } from './layers';
import { layout } from './python';
import { access, entries, isIndexed, layersOf, ties, tree } from './tree';
import type { Wording } from './wording';

export interface ModelCode {
  readonly imports: readonly string[];
  /** Class definitions, which draw nothing. */
  readonly classes: readonly string[];
  /** Lines from `model = ` on. */
  readonly lines: readonly string[];
}

/** A note for layers that cannot have their names in the listing. */
export const NAMES = '# some names differ from those in the run, because no module can have them';

/** Lines that tie the weights of `model` again, after a call that gave each module its own parameter. */
export function tieLines(layers: readonly LayerConfig[]): readonly string[] {
  const nodes = tree(layers);
  return ties(layers, 'model', nodes !== undefined && isIndexed(nodes));
}

/**
 * Lines before DistributedDataParallel, which takes DTensors out of modules. `groups`: the names of each shared weight;
 * the module of the first name keeps the parameter.
 */
export function lendLines(layers: readonly LayerConfig[], groups: readonly (readonly string[])[]): readonly string[] {
  const nodes = tree(layers);
  const indexed = nodes !== undefined && isIndexed(nodes);
  const moduleOf = (name: string): string => access('model', name, indexed).replace(/\.weight$/, '');
  const pairs = groups.flatMap(([owner = '', ...others]) =>
    others.map((name) => `(${moduleOf(name)}, ${moduleOf(owner)})`),
  );
  if (pairs.length === 0) return [];
  return [
    '# DistributedDataParallel refuses DTensors that modules share: one module keeps the weight and lends it to others',
    `for module, owner in [${pairs.join(', ')}]:`,
    '    del module.weight',
    "    module.register_forward_pre_hook(lambda module, _, owner=owner: setattr(module, 'weight', owner.weight))",
  ];
}

/** A model on one device; `to` is the device's expression. `segments`: of torch.utils.checkpoint. */
export function modelCode(layers: readonly LayerConfig[], to: string, segments?: number): ModelCode {
  const nodes = tree(layers);
  const checkpointed = segments === undefined ? undefined : Math.min(segments, layers.length);
  if (!nodes) return { ...spelledOut(layers, { checkpointed }), lines: [`model = Model().to(${to})`] };
  const whole = sequentialCode(entries(nodes));
  const model = checkpointed === undefined ? whole : { ...whole, open: whole.open.replace('nn.Sequential', 'Model') };
  const lines = [...layout('model = ', model, `.to(${to})`), ...ties(layers, 'model', isIndexed(nodes))];
  if (checkpointed === undefined) return withClasses(layers, new Set(), { classes: [], lines });
  const flat = nodes.every(({ children }) => children === undefined);
  return withClasses(layers, new Set(), {
    classes: [
      ...movesTwice(layers),
      'class Model(nn.Sequential):',
      ...(flat ? [] : layersMethod(nodes.flatMap((node) => layersOf(node, 'self')))),
      '    def forward(self, x):',
      checkpointedForward(flat ? 'self' : 'self.layers()', checkpointed),
    ],
    lines,
  });
}

const layersMethod = (modules: readonly string[]): readonly string[] => [
  '    def layers(self):',
  `        return [${modules.join(', ')}]`,
];

const checkpointedForward = (all: string, segments: number): string =>
  `        return checkpoint_sequential(${all}, ${segments}, x, use_reentrant=False)`;

/** Under checkpoint torch runs the forward pass again, including batch norm; the run does not repeat batch norm. */
const movesTwice = (layers: readonly LayerConfig[]): readonly string[] =>
  hasBatchNorm(layers) ? ['# BatchNorm updates its running statistics twice per step here, once in the run'] : [];

export const hasBatchNorm = (layers: readonly LayerConfig[]): boolean =>
  allLayers(layers).some(({ type }) => type === 'BatchNorm1d' || type === 'BatchNorm2d');

/** Each layer on the device of its index in `devices`. */
export function splitModelCode(
  layers: readonly LayerConfig[],
  devices: readonly number[],
  dialect: Pick<Wording, 'list' | 'layer'>,
): ModelCode {
  const nodes = tree(layers);
  const place = `devices = ${dialect.list(devices)}`;
  if (!nodes) {
    const { classes, ...rest } = spelledOut(layers, { devices: devices.map((d, i) => dialect.layer(d, i)) });
    return { ...rest, classes: [place, ...classes], lines: ['model = Model()'] };
  }
  const flat = nodes.every(({ children }) => children === undefined);
  const list = flat ? [] : layersMethod(nodes.flatMap((node) => layersOf(node, 'self')));
  const all = flat ? 'self' : 'self.layers()';
  const whole = sequentialCode(entries(nodes));
  const model = { ...whole, open: whole.open.replace('nn.Sequential', 'Model') };
  return withClasses(layers, new Set(), {
    classes: [
      place,
      'class Model(nn.Sequential):',
      ...list,
      '    def forward(self, x):',
      ...forwardOverDevices(all, 'devices'),
    ],
    lines: [
      ...layout('model = ', model, ''),
      `for layer, device in zip(${all.replace('self', 'model')}, devices):`,
      '    layer.to(device)',
      ...ties(layers, 'model', isIndexed(nodes)),
    ],
  });
}

/** These two lines carry the anchors of model parallel. */
export const SEND_LINE = '            x = x.to(device)';
export const FORWARD_LINE = '            x = layer(x)';

const forwardOverDevices = (all: string, devices: string): readonly string[] => [
  `        for layer, device in zip(${all}, ${devices}):`,
  SEND_LINE,
  FORWARD_LINE,
  '        return x',
];

function withClasses(
  layers: readonly LayerConfig[],
  except: ReadonlySet<LayerConfig>,
  { classes, lines }: Pick<ModelCode, 'classes' | 'lines'>,
): ModelCode {
  const text = [...classes, ...lines].join('\n');
  return {
    imports: [
      ...(text.includes('OrderedDict(') ? ['from collections import OrderedDict'] : []),
      ...(text.includes('checkpoint_sequential(') ? ['from torch.utils.checkpoint import checkpoint_sequential'] : []),
    ],
    classes: [...classCode(layers, except), ...classes],
    lines,
  };
}

/** A model from which ranks take layers; its forward pass is never called. */
export interface ListedModel extends ModelCode {
  /** A Python expression of all layers, which can be sliced. */
  readonly layers: string;
}

/** The whole model on the CPU, from which ranks of a pipeline take their stages. */
export function listedModelCode(layers: readonly LayerConfig[]): ListedModel {
  const nodes = tree(layers);
  const flat = nodes?.every(({ children }) => children === undefined) === true;
  const made = nodes
    ? withClasses(layers, new Set(), {
        classes: [],
        lines: [...layout('model = ', sequentialCode(entries(nodes)), ''), ...ties(layers, 'model', isIndexed(nodes))],
      })
    : spelledOut(layers, { listed: true });
  const code = { ...made, classes: contiguousAttention(made.classes) };
  if (flat) return { ...code, layers: 'model' };
  const items = nodes ? nodes.flatMap((node) => layersOf(node, 'model')) : [];
  const list = nodes ? layout('layers = ', { open: '[', items, close: ']' }, '') : ['layers = model.layers()'];
  return { ...code, lines: [...(nodes ? code.lines : ['model = Model()']), ...list], layers: 'layers' };
}

interface Spelling {
  /** Python expressions, one for each layer; absent: all on one. */
  readonly devices?: readonly string[];
  /** Segments of torch.utils.checkpoint. */
  readonly checkpointed?: number | undefined;
  /** Only the layers are needed, as modules. */
  readonly listed?: true;
}

/** The model's two embeddings as one layer. */
const EMBED_CLASS = [
  'class Embed(nn.Module):',
  '    def __init__(self, tok, pos):',
  '        super().__init__()',
  '        self.tok, self.pos = tok, pos',
  '    def forward(self, x):',
  `        ${EMBED.replace('x =', 'return')}`,
];

/** class Model with one attribute per layer, or a group of layers with a common first name. */
function spelledOut(layers: readonly LayerConfig[], { devices, checkpointed, listed }: Spelling): ModelCode {
  const { inits, forwards, modules, embedding, renamed } = classAttributes(layers, { devices, listed });
  // Under model parallel the embedding is before the loop over layers.
  const [ahead, looped] = embedding && devices ? [forwards.slice(0, 1), 'devices[1:]'] : [[], 'devices'];
  const hasList = devices !== undefined || checkpointed !== undefined || listed === true;
  const embed = ['    def embed(self, x):', `        ${EMBED.replace('x =', 'return')}`];
  const place = [`        for layer, device in zip(self.layers(), ${looped}):`, '            layer.to(device)'];
  const forward = (): readonly string[] => {
    if (checkpointed !== undefined) return [checkpointedForward('self.layers()', checkpointed)];
    if (devices === undefined) return [...forwards.map((text) => `        ${text}`), '        return x'];
    return [...ahead.map((text) => `        ${text}`), ...forwardOverDevices('self.layers()', looped)];
  };
  return withClasses(layers, new Set(embedding && [embedding]), {
    classes: [
      ...(renamed ? [NAMES] : []),
      ...(checkpointed === undefined ? [] : movesTwice(layers)),
      ...(listed && embedding ? EMBED_CLASS : []),
      'class Model(nn.Module):',
      '    def __init__(self):',
      '        super().__init__()',
      ...inits.map((text) => `        ${text}`),
      ...ties(layers, 'self').map((text) => `        ${text}`),
      ...(devices === undefined ? [] : place),
      ...(checkpointed !== undefined && embedding ? embed : []),
      ...(hasList ? layersMethod(modules.slice(ahead.length)) : []),
      ...(listed ? [] : ['    def forward(self, x):', ...forward()]),
    ],
    lines: [],
  });
}

export { hasDropout as drops } from '../../protocol/config/layer-kinds';
