/**
 * A link that names a mode does the same as the mode's button: the run gets the settings that the mode needs (only
 * ranks with work, batches of one length for pipeline stages). Settings that the link names explicitly stay. If a link
 * names no net and more ranks than the net's layers allow, the net becomes deeper. permalink.ts calls this both to
 * parse and to print. Pure.
 */
import type { Config } from '../../protocol/config';
import { rowOf } from '../../protocol/config/data';
import type { Notice } from '../../protocol/notice';
import { deepened, layersMissing } from '../edit/deepen';
import { withMeshDevices, withMode, withSettings } from '../edit/edit-config';
import type { SettingPath } from '../edit/setting-ranges';
import { trainRowsOf } from '../model/data-rows';

type Explicit = readonly (readonly [path: SettingPath, value: unknown])[];

/** `config` has the mode and all explicit settings; `before`: the mode from which the link starts. */
export function asTheButton(config: Config, before: Config['mode'], explicit: Explicit): Config {
  if (config.mode === before) return config;
  const fitted = withMode(withMeshDevices(config), config.mode, trainRowsOf(config.data));
  // If the mode's settings contradict the link's, the link's apply.
  return withSettings(fitted, explicit) ?? config;
}

/** The settings for the number of stages or devices among which the layers are divided. */
const SIZES: ReadonlySet<string> = new Set(['worldSize', 'mesh.pp']);
/** The settings that count the net's layers. */
const SPLITS: ReadonlySet<string> = new Set(['pipeline.split', 'modelParallel.split']);

/** Whether the link names the number of ranks but not their layers, and the net has too few layers. */
export function needsDeeper(config: Config, said: readonly SettingPath[]): boolean {
  const names = said.map((path) => path.join('.'));
  if (!names.some((name) => SIZES.has(name)) || names.some((name) => SPLITS.has(name))) return false;
  return layersMissing(withMeshDevices(config)) > 0;
}

/**
 * For a link that names no layers: the run with as many layers as its ranks need; undefined if the net has enough, or
 * cannot have so many.
 */
export function asDeepAsAsked(config: Config, explicit: Explicit): Config | undefined {
  const said = explicit.map(([path]) => path);
  return needsDeeper(config, said)
    ? deepened(withMeshDevices(config), rowOf(config.data, config.loss.type))
    : undefined;
}

/** The notice that the net of a link was made deeper. */
export function deeperNotice(from: Config, to: Config): Notice {
  const missing = layersMissing(withMeshDevices(from));
  const blocks = to.model.layers.some(({ type }) => type === 'TransformerBlock');
  const added = `${missing} ${blocks ? 'transformer block' : 'Linear layer'}${missing === 1 ? '' : 's'}`;
  const text = `The link asks for more ranks than this net has layers with weights, so ${added} ${
    missing === 1 ? 'was' : 'were'
  } added.`;
  return { level: 'info', id: 'link-deeper', text, hint: 'A link that names its layers keeps them as they are.' };
}
