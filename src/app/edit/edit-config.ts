/**
 * The page's edits of a Config: pure functions from Config to Config. An edit never returns an invalid Config; if a
 * value does not fit, the edit returns the reason in one sentence and the old Config stays. Edits of the data are in
 * edit-data.ts, of the model in edit-model.ts, of the division among ranks in edit-split.ts.
 */

import * as v from 'valibot';
import { lookup } from '../../base/lookup';
import { FACES } from '../../parallel/faces';
import { FITS } from '../../parallel/fits';
import { type Config, configSchema, LIMITS } from '../../protocol/config';
import { autocastIn, modelHalf, policyHalf } from '../../protocol/half-of';
import { meshSizes, openAxis, ranksOf } from '../../protocol/mesh-sizes';
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
  // A removed optional setting must be absent, not undefined.
  const { [key]: _, ...others } = fields;
  return others;
}

/**
 * The settings that decide the number of pipeline stages; if that number changes, an even split replaces the user's.
 */
const SIZES_OF_STAGES: ReadonlySet<string> = new Set(['pipeline.schedule', 'pipeline.stagesPerRank']);

/** Sets one value; `undefined` removes an optional setting. */
export function withSetting(config: Config, path: SettingPath, value: unknown): Edit {
  const range = rangeOf(config, path);
  if (!range) return refused(`there is no such setting for ${optionOf(config, path)}`);
  const free = SIZES_OF_STAGES.has(path.join('.')) ? withoutStages(config) : config;
  const parsed = v.safeParse(configSchema, put(free, path, value));
  return parsed.success ? done(parsed.output) : refused(`must be ${rangeText(range)}`);
}

/**
 * Sets the value typed into a field; a text that is not a value is refused. An empty field removes a setting that the
 * run does not need (clipping); for other settings it is refused, because the user did not ask for the default.
 */
export function withText(config: Config, path: SettingPath, text: string, parse: (text: string) => unknown): Edit {
  if (text !== '') return withSetting(config, path, parse(text) ?? text);
  const without = withSetting(config, path, undefined);
  return without.ok && readSetting(without.config, path) !== undefined ? withSetting(config, path, text) : without;
}

/** Sets many values and checks the result once; undefined if a value does not fit. */
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

/** Chooses an optimiser, with PyTorch's defaults. */
export function withOptimizer(config: Config, type: Config['optimizer']['type']): Config {
  return v.parse(configSchema, { ...config, optimizer: { type } });
}

export const withoutStages = (config: Config): Config => {
  const { split: _, ...pipeline } = config.pipeline;
  return { ...config, pipeline };
};

/**
 * Sets the number of devices; an even split replaces a split for the old number. If the ranks form a grid, the number
 * of rows stays, and the ranks per row follow.
 */
export function withWorldSize(config: Config, worldSize: number): Edit {
  const { split, ...modelParallel } = config.modelParallel;
  const { [openAxis(config.mode)]: _, ...mesh } = config.mesh;
  const keeps = split === undefined || split.length === worldSize;
  const { pipeline } = worldSize === config.worldSize ? config : withoutStages(config);
  const free = { ...config, mesh, pipeline, modelParallel: keeps ? config.modelParallel : modelParallel };
  return withSetting(free, ['worldSize'], worldSize);
}

/** For a mode whose ranks form a grid with both axes given: as many devices as the grid has places. */
export function withMeshDevices(config: Config): Config {
  const isGrid = FACES[config.mode].sections?.includes('mesh') ?? false;
  if (!isGrid || config.mesh[openAxis(config.mode)] === undefined) return config;
  return { ...config, worldSize: Math.min(ranksOf(meshSizes(config)), LIMITS.worldSize) };
}

/**
 * Changes the mode, with the same seed, data and net, on as many devices as can have work in it, and with other
 * settings that the mode needs. `rows`: training rows in an epoch, if known.
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

/**
 * Replaces a precision that the mode does not support by the nearest one: autocast instead of a whole model in half
 * precision.
 */
function withPrecisionOf(config: Config): Config {
  const { mode, gradScaler } = config;
  const enabled = gradScaler.enabled && FACES[mode].gradScaler === true;
  return { ...config, precision: precisionIn(config), gradScaler: { ...gradScaler, enabled } };
}

function precisionIn(config: Config): Config['precision'] {
  const { mode, precision } = config;
  if (policyHalf(config)) return 'float32';
  const half = modelHalf(precision);
  const nearest = [precision, ...(half ? [autocastIn(half)] : []), 'autocast-fp16', 'float32'] as const;
  return nearest.find((own) => FACES[mode].precisions?.includes(own)) ?? 'float32';
}
