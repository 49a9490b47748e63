/**
 * Edits of a Config as the page makes them: pure functions from Config to Config. An edit never yields an invalid
 * Config; where a value does not fit, it says why in one sentence and the old Config stays. Edits of the data are in
 * edit-data.ts, those of the model in edit-model.ts.
 */

import * as v from 'valibot';
import { lookup } from '../../base/lookup';
import { FACES } from '../../parallel/faces';
import { FITS } from '../../parallel/fits';
import { type Config, configSchema, LIMITS } from '../../protocol/config';
import { autocastIn, modelHalf, paramHalf } from '../../protocol/half-of';
import { type MeshShape, meshSizes, openAxis, ranksOf } from '../../protocol/mesh-sizes';
import { rangeOf, rangeText, readSetting, type SettingPath } from './setting-ranges';

export type Edit = { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly problem: string };

export const done = (config: Config): Edit => ({ ok: true, config });
export const refused = (problem: string): Edit => ({ ok: false, problem });

function put(target: unknown, path: SettingPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const fields: Readonly<Record<string, unknown>> = typeof target === 'object' && target !== null ? { ...target } : {};
  const next = put(lookup(fields, key), rest, value);
  if (next !== undefined) return { ...fields, [key]: next };
  // An optional setting that is taken away must be absent, not undefined.
  const { [key]: _, ...others } = fields;
  return others;
}

/** What decides how many stages a pipeline has: with another number its split by hand goes, the even one comes. */
const SIZES_OF_STAGES: ReadonlySet<string> = new Set(['pipeline.schedule', 'pipeline.stagesPerRank']);

/** Puts one value; `undefined` takes an optional setting away. */
export function withSetting(config: Config, path: SettingPath, value: unknown): Edit {
  const range = rangeOf(config, path);
  if (!range) return refused(`there is no such setting for ${optionOf(config, path)}`);
  const free = SIZES_OF_STAGES.has(path.join('.')) ? withoutStages(config) : config;
  const parsed = v.safeParse(configSchema, put(free, path, value));
  return parsed.success ? done(parsed.output) : refused(`must be ${rangeText(range)}`);
}

/**
 * Puts what was typed into a field; a text that is no value is refused as it is. An empty field takes away what the run
 * can do without (clipping); of all else it is refused, since nobody asked for the default that would come.
 */
export function withText(config: Config, path: SettingPath, text: string, parse: (text: string) => unknown): Edit {
  if (text !== '') return withSetting(config, path, parse(text) ?? text);
  const without = withSetting(config, path, undefined);
  return without.ok && readSetting(without.config, path) !== undefined ? withSetting(config, path, text) : without;
}

/** Puts many values and looks at the whole once; undefined where one of them does not fit. */
export function withSettings(
  config: Config,
  changes: readonly (readonly [path: SettingPath, value: unknown])[],
): Config | undefined {
  if (changes.length === 0) return config;
  const changed = changes.reduce<unknown>((before, [path, value]) => put(before, path, value), config);
  const parsed = v.safeParse(configSchema, changed);
  return parsed.success ? parsed.output : undefined;
}

const optionOf = (config: Config, path: SettingPath) =>
  path[0] === 'data' ? `data "${config.data.type}"` : path[0] === 'optimizer' ? config.optimizer.type : 'this run';

export const LOSS_TYPES = [
  'BCEWithLogitsLoss',
  'CrossEntropyLoss',
  'NLLLoss',
  'MSELoss',
  'L1Loss',
  'SmoothL1Loss',
  'HuberLoss',
] as const satisfies readonly Config['loss']['type'][];

/** PyTorch's defaults of that optimiser. */
export function withOptimizer(config: Config, type: Config['optimizer']['type']): Config {
  return v.parse(configSchema, { ...config, optimizer: { type } });
}

/** Layers on each device. */
export function withSplit(config: Config, split: readonly number[]): Edit {
  const total = split.reduce((sum, layers) => sum + layers, 0);
  const layers = config.model.layers.length;
  if (split.some((count) => count < 1)) return refused('each device needs at least one layer');
  if (total !== layers) return refused(`the split places ${total} layers, but the model has ${layers}`);
  return done({ ...config, worldSize: split.length, modelParallel: { ...config.modelParallel, split: [...split] } });
}

const withoutStages = (config: Config): Config => {
  const { split: _, ...pipeline } = config.pipeline;
  return { ...config, pipeline };
};

/** Another size of some axes; the world size follows. */
export function withMesh(config: Config, sizes: Partial<MeshShape>): Edit {
  const most = LIMITS.worldSize;
  const before = meshSizes(config);
  const shape = { ...before, ...sizes };
  const worldSize = ranksOf(shape);
  if (!Object.values(shape).every((size) => Number.isInteger(size) && size >= 1))
    return refused('must be a whole number of at least 1');
  if (worldSize > most)
    return refused(
      `the mesh needs ${Object.values(shape)
        .filter((size) => size > 1)
        .join(' × ')} = ${worldSize} ranks, but a run has at most ${most}`,
    );
  const kept = before.pp === shape.pp ? config : withoutStages(config);
  return done({ ...kept, worldSize, mesh: withoutOpen(config.mode, shape) });
}

/** The axis that takes the ranks that are left has no size of its own, and the others only where they have several. */
function withoutOpen(mode: Config['mode'], { pp, dpShard, tp, ...others }: MeshShape): Config['mesh'] {
  const open = openAxis(mode);
  const kept = Object.entries({ pp, dpShard, tp }).filter(([axis, size]) => axis !== open && size > 1);
  return { ...others, ...Object.fromEntries(kept) };
}

/** A plan of one's own; undefined: the one that is made for the model. */
export function withTensorPlan(config: Config, plan: Config['tensor']['plan']): Config {
  const { plan: _plan, lossParallel: _loss, ...tensor } = config.tensor;
  return { ...config, tensor: plan === undefined ? tensor : { ...config.tensor, plan } };
}

/** Layers of each stage of a pipeline; undefined: stages of about equally many operations. */
export function withStages(config: Config, split: readonly number[] | undefined): Edit {
  if (!split) return done(withoutStages(config));
  const layers = config.model.layers.length;
  const total = split.reduce((sum, count) => sum + count, 0);
  if (split.some((count) => count < 1)) return refused('each stage needs at least one layer');
  if (total !== layers) return refused(`the stages have ${total} layers, but the model has ${layers}`);
  return done({ ...config, pipeline: { ...config.pipeline, split: [...split] } });
}

/**
 * Another number of devices; a split for the old number goes, the even one comes. Where the ranks are a grid, the rows
 * of it stay, and the ranks of each row follow.
 */
export function withWorldSize(config: Config, worldSize: number): Edit {
  const { split, ...modelParallel } = config.modelParallel;
  const { [openAxis(config.mode)]: _, ...mesh } = config.mesh;
  const keeps = split === undefined || split.length === worldSize;
  const { pipeline } = worldSize === config.worldSize ? config : withoutStages(config);
  const free = { ...config, mesh, pipeline, modelParallel: keeps ? config.modelParallel : modelParallel };
  return withSetting(free, ['worldSize'], worldSize);
}

/** In a mode whose ranks are a grid: as many devices as its axes have places, where both are given. */
export function withMeshDevices(config: Config): Config {
  const isGrid = FACES[config.mode].sections?.includes('mesh') ?? false;
  if (!isGrid || config.mesh[openAxis(config.mode)] === undefined) return config;
  return { ...config, worldSize: Math.min(ranksOf(meshSizes(config)), LIMITS.worldSize) };
}

/**
 * Another mode over the same seed, data and net, on as many devices as can have something to do in it, and with what
 * else it needs to run. `rows`: training rows in an epoch, where they are known.
 */
export function withMode(config: Config, mode: Config['mode'], rows?: number): Config {
  const face = FACES[mode];
  const other = withPrecisionOf({ ...config, mode });
  const fitted = FITS[mode];
  if (fitted) return fitted(other, rows);
  const most = face.mostDevices?.(config) ?? 0;
  if (most === 0 || config.worldSize <= most) return other;
  const fewer = withWorldSize(other, most);
  return fewer.ok ? fewer.config : other;
}

/** What the mode cannot compute in becomes what is nearest: autocast in place of a whole model in half precision. */
function withPrecisionOf(config: Config): Config {
  const { mode, gradScaler } = config;
  const enabled = gradScaler.enabled && FACES[mode].gradScaler === true;
  return { ...config, precision: precisionIn(config), gradScaler: { ...gradScaler, enabled } };
}

function precisionIn(config: Config): Config['precision'] {
  const { mode, precision } = config;
  if (paramHalf(config)) return 'float32';
  const half = modelHalf(precision);
  const nearest = [precision, ...(half ? [autocastIn(half)] : []), 'autocast-fp16', 'float32'] as const;
  return nearest.find((own) => FACES[mode].precisions?.includes(own)) ?? 'float32';
}
