/**
 * The units of fully_shard: modules whose parameters are gathered and freed together. The root holds the parameters of
 * no other unit. Called by this folder.
 */
import { refusedSettings } from '../../base/refused-settings';
import { layerPath, parameterList, parametersOfLayer } from '../../nn/model';
import { tiedNames } from '../../nn/tied';
import type { Config } from '../../protocol/config';
import type { UnitParameter } from './unit-layout';

export interface ShardedUnit {
  /** Path of the module; '' is the root. */
  readonly path: string;
  /** In registration order. */
  readonly parameters: readonly UnitParameter[];
}

/** The root first, then the others in the order of the model. A root without parameters is included. */
export function unitsOf(config: Config): readonly ShardedUnit[] {
  const paths = config.sharded.modules ?? madeUnits(config);
  const parameters = parameterList(config.model.layers);
  const unitOf = unitOfModule(paths);
  const layers = config.model.layers.map(layerPath);
  const ordered = [...new Set(paths)].sort((a, b) => layers.indexOf(a) - layers.indexOf(b));
  return ['', ...ordered].map((path) => ({
    path,
    parameters: parameters.filter(({ name }) => unitOf(name) === path).map(({ name, shape }) => ({ name, shape })),
  }));
}

/**
 * The unit with only the parameters that get a gradient. A module that is never called has none; a unit of such modules
 * alone is neither gathered nor reduced.
 */
export function trainedIn({ model: { layers } }: Config): (unit: ShardedUnit) => readonly UnitParameter[] {
  const idle = new Set(
    layers.flatMap((layer, i) => (layer.type === 'Unused' ? parametersOfLayer(layer, i).map(({ name }) => name) : [])),
  );
  return ({ parameters }) => parameters.filter(({ name }) => !idle.has(name));
}

/** Finds the innermost unit around a module or a parameter by its path. */
export function unitOfModule(paths: readonly string[]): (path: string) => string {
  const innermostFirst = paths.toSorted((a, b) => b.length - a.length);
  return (path) => innermostFirst.find((unit) => path === unit || path.startsWith(`${unit}.`)) ?? '';
}

/** Layers that may be units: with parameters of their own that no other layer shares. */
export function layersWithParameters({ model: { layers } }: Config): readonly string[] {
  const shared = tiedNames(layers).flatMap(({ name, source }) => [name, source]);
  return layers.flatMap((layer, index) => {
    const own = parametersOfLayer(layer, index);
    const path = layerPath(layer, index);
    const shares = shared.some((name) => name.startsWith(`${path}.`));
    return path === '' || own.length === 0 || shares ? [] : [path];
  });
}

/** The default units: the model's blocks, or if it has none, every layer that may be a unit. */
function madeUnits(config: Config): readonly string[] {
  const { layers } = config.model;
  const blocks = new Set(
    layers.flatMap((layer, i) =>
      layer.type === 'TransformerBlock' || layer.type === 'Residual' ? [layerPath(layer, i)] : [],
    ),
  );
  const paths = layersWithParameters(config);
  return blocks.size === 0 ? paths : paths.filter((path) => blocks.has(path));
}

/** Refuses units that name no layer, are nested, or share a weight with another unit. */
export function checkUnits(config: Config): void {
  const { modules: units } = config.sharded;
  if (units === undefined) return;
  const refuse = (unit: string, why: string, hint: string): never => {
    throw refusedSettings({ settings: { 'sharded.modules': unit }, why, hint });
  };
  const { layers } = config.model;
  const known = layers.map(layerPath).filter((path) => path !== '');
  for (const [place, unit] of units.entries()) {
    if (!known.includes(unit))
      refuse(unit, 'the model has no such layer', `Name layers by their path: ${known.slice(0, 8).join(', ')}.`);
    if (units.indexOf(unit) !== place)
      refuse(unit, 'the unit is named twice, and fully_shard can be applied to a module once', 'Name each layer once.');
  }
  const unitOf = unitOfModule(units);
  for (const { name, source } of tiedNames(layers)) {
    const unit = unitOf(name) === unitOf(source) ? '' : unitOf(name) || unitOf(source);
    if (unit !== '')
      refuse(
        unit,
        `layers of two units share the weight ${source}, which one unit would free while the other needs it`,
        'Leave both layers out of the units, so that the root holds the weight.',
      );
  }
}
