/**
 * The content of each room that stays the same throughout a trace: titles, and the layers whose parameters the device
 * holds. Pure; called by the first picture, and by the scene once per trace.
 */
import { at } from '../../base/invariant';
import { plural } from '../../base/plural';
import type { LayerType } from '../../protocol/config';
import { LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import type { SessionInfo } from '../../protocol/session-info';
import type { DeviceIndex, StepTrace } from '../../protocol/trace';
import type { RunShape } from './expected-run';

export interface ParameterPlace {
  readonly name: string;
  readonly shape: readonly number[];
  /** The buffer of the parameter's gradient, if the device has one. */
  readonly gradient: string | undefined;
}

/** A weight with its bias; a layer with several weights (a block's qkv, proj, fc1, fc2) has one place per weight. */
export interface LayerPlace {
  /** The module's path as in state_dict: '0', '2', 'blocks.0.qkv'. */
  readonly module: string;
  /** Only on a layer's first place: the number of the layer's places. */
  readonly together: number;
  readonly labels: readonly string[];
  readonly weight: ParameterPlace;
  readonly bias: ParameterPlace | undefined;
}

/** The batch, or the output of a layer, one row per sample. */
export interface ActivationPlace {
  readonly buffer: string;
  readonly shape: readonly number[];
  readonly labels: readonly string[];
}

export interface DevicePlace {
  readonly device: DeviceIndex;
  readonly title: string;
  /** For a rank that has exactly one pipeline stage: 'stage 2'. */
  readonly stage: string | undefined;
  /** Longest first. */
  readonly subtitles: readonly string[];
  readonly layers: readonly LayerPlace[];
  readonly activations: readonly ActivationPlace[];
  /**
   * Whether the buffers keep their values between steps; false for DataParallel's replicas, which every forward makes
   * anew.
   */
  readonly keeps: boolean;
  readonly samples: readonly number[];
}

export const elements = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

function layersOf(info: RunShape, device: DeviceIndex): readonly LayerPlace[] {
  const mine = info.buffers.filter((b) => b.device === device);
  const shapeOf = new Map(mine.map((b) => [b.name, b.shape]));
  const held = mine.filter((b) => b.category === 'parameter');
  const place = (name: string): ParameterPlace | undefined => {
    const shape = held.find((b) => b.name === name)?.shape;
    return shape && { name, shape, gradient: shapeOf.has(`${name}.grad`) ? `${name}.grad` : undefined };
  };
  return info.config.model.layers.flatMap((layer, i): readonly LayerPlace[] => {
    const path = layer.name ?? String(i);
    const own = held.filter(({ name }) => (path === '' ? isUnprefixed(info, name) : name.startsWith(`${path}.`)));
    const weights = own.filter(({ name }) => name.endsWith('weight'));
    // A block's norms are vectors, which would be invisible beside its matrices.
    const matrices = weights.filter(({ shape }) => shape.length > 1);
    const shown = weights.length > 1 && matrices.length > 0 ? matrices : weights;
    return shown.flatMap(({ name }, index): LayerPlace[] => {
      const weight = place(name);
      if (!weight) return [];
      const stem = name.slice(0, -'weight'.length);
      const module = stem.replace(/[._]$/, '');
      const part = path === '' || module === path ? '' : module.slice(path.length + 1);
      const labels = part === '' ? labelsOf(module, layer.type, weight.shape) : partLabels(path, part, index === 0);
      return [{ module, labels, weight, bias: place(`${stem}bias`), together: index === 0 ? shown.length : 1 }];
    });
  });
}

/** Whether the parameter's name lacks the prefix of every other layer. */
const isUnprefixed = (info: RunShape, parameter: string): boolean =>
  !info.config.model.layers.some(({ name }, i) => parameter.startsWith(`${name ?? i}.`));

/** '0' of '4.layers.0'. */
const lastPart = (module: string): string => module.replace(/^.*\./, '');

function labelsOf(module: string, type: string, shape: readonly number[]): readonly string[] {
  const [out = 1, into] = shape;
  // A vector's length would repeat the neighbouring matrix.
  if (into === undefined) return [`${module} · ${type} ${out}`, `${module} · ${type}`, module];
  const sizes = type === 'Linear' || type === 'Conv2d' ? `${into}→${out}` : shape.join('×');
  return [`${module} · ${type} ${sizes}`, `${module} · ${type}`, `${module} · ${sizes}`, module, lastPart(module)];
}

/** Labels of a part; the layer's first matrix also names the layer. */
const partLabels = (path: string, part: string, first: boolean): readonly string[] =>
  first ? [`${path} · ${part}`, `${lastPart(path)}.${part}`, part, lastPart(part)] : [part, lastPart(part)];

/** Layers whose outputs are shown; other layers only map single numbers. */
const STOPS: ReadonlySet<LayerType> = new Set([...LAYERS_WITH_WEIGHTS, 'MaxPool2d', 'AvgPool2d', 'AdaptiveAvgPool2d']);
const MOST_ACTIVATIONS = 8;

/** The batch and the layers' outputs; of a net with many layers, only outputs with a new shape. */
function activationsOf(info: RunShape, device: DeviceIndex): readonly ActivationPlace[] {
  const shapeOf = new Map(info.buffers.filter((b) => b.device === device).map((b) => [b.name, b.shape]));
  const batch = shapeOf.get('x');
  const { layers } = info.config.model;
  const outputs = layers.flatMap((layer, i): (ActivationPlace & { type: LayerType })[] => {
    const path = layer.name ?? String(i);
    const buffer = path === '' ? 'out' : `${path}.out`;
    const shape = shapeOf.get(buffer);
    const own = path === '' ? 'embedding' : path;
    return shape
      ? [
          {
            buffer,
            shape,
            labels: [`${buffer} ${layer.type}`, buffer, own, own.replace(/^.*\./, '')],
            type: layer.type,
          },
        ]
      : [];
  });
  const shown = outputs.length < MOST_ACTIVATIONS ? outputs : outputs.filter(({ type }) => STOPS.has(type));
  // Token ids are not quantities, so colours for them would mean nothing.
  const x: readonly ActivationPlace[] =
    batch && info.dataset.kind !== 'tokens' ? [{ buffer: 'x', shape: batch, labels: ['batch x', 'x'] }] : [];
  return [...x, ...shown];
}

function samplesText(samples: readonly number[]): readonly string[] {
  if (samples.length === 0) return ['no samples'];
  const some = (n: number) =>
    `${samples.length === 1 ? 'sample' : 'samples'} ${samples.slice(0, n).join(', ')}${samples.length > n ? ' …' : ''}`;
  return [some(8), some(5), some(3), some(2), plural(samples.length, 'sample')];
}

/** The title of a device's room: 'rank 2' if each device has a process, 'cuda:2' if one process drives all. */
export const titleOf = ({ roles }: Pick<SessionInfo, 'roles'>, device: number): string => at(roles, device).title;

export function placeDevices(info: RunShape, trace: StepTrace | undefined): readonly DevicePlace[] {
  return Array.from({ length: info.worldSize }, (_, device) => {
    const { title, beside: head, hasRows, keepsState } = at(info.roles, device);
    const samples = trace && hasRows ? (trace.samples[device] ?? []) : [];
    const texts = trace && hasRows ? samplesText(samples) : [];
    const subtitles =
      texts.length === 0
        ? head === undefined
          ? []
          : [head]
        : [...texts.map((t) => (head ? `${head} · ${t}` : t)), ...(head ? [head] : []), ...texts.slice(-1)];
    return {
      device,
      title,
      stage: /^stage \d+$/.test(head ?? '') ? head : undefined,
      subtitles,
      layers: layersOf(info, device),
      activations: activationsOf(info, device),
      keeps: keepsState,
      samples,
    };
  });
}
