/**
 * A link that names a mode does what the button of that mode does: the run gets the settings that the mode needs (ranks
 * that have work, batches of one length for a pipeline's stages). What the link says explicitly stays. A link that
 * names more ranks than its net has layers for, and no net, gets a deeper one. permalink.ts calls it in both
 * directions. Pure.
 */
import type { Config } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';
import { deepened, layersMissing } from '../edit/deepen';
import { withMeshDevices, withMode, withSettings } from '../edit/edit-config';
import type { SettingPath } from '../edit/setting-ranges';
import { rowOf, trainRowsOf } from '../model/data-rows';

type Explicit = readonly (readonly [path: SettingPath, value: unknown])[];

/** `config` has the mode and all explicit settings; `before`: the mode that the link starts from. */
export function asTheButton(config: Config, before: Config['mode'], explicit: Explicit): Config {
  if (config.mode === before) return config;
  const fitted = withMode(withMeshDevices(config), config.mode, trainRowsOf(config.data));
  // Where both do not go together, the link is the one who said it.
  return withSettings(fitted, explicit) ?? config;
}

/** Settings that say how many stages or devices have to share the layers. */
const SIZES: ReadonlySet<string> = new Set(['worldSize', 'mesh.pp']);
/** They count the layers that the net has. */
const SPLITS: ReadonlySet<string> = new Set(['pipeline.split', 'modelParallel.split']);

/** The link says how many ranks the run has, not which layers they get, and the net has too few for them. */
export function needsDeeper(config: Config, said: readonly SettingPath[]): boolean {
  const names = said.map((path) => path.join('.'));
  if (!names.some((name) => SIZES.has(name)) || names.some((name) => SPLITS.has(name))) return false;
  return layersMissing(withMeshDevices(config)) > 0;
}

/**
 * The run of a link that says nothing of layers, with as many as its ranks need; undefined: it has enough, or so many
 * do not fit.
 */
export function asDeepAsAsked(config: Config, explicit: Explicit): Config | undefined {
  const said = explicit.map(([path]) => path);
  return needsDeeper(config, said)
    ? deepened(withMeshDevices(config), rowOf(config.data, config.loss.type))
    : undefined;
}

/** How the page says that the net of a link has been made deeper. */
export function deeperNotice(from: Config, to: Config): Notice {
  const missing = layersMissing(withMeshDevices(from));
  const blocks = to.model.layers.some(({ type }) => type === 'TransformerBlock');
  const added = `${missing} ${blocks ? 'transformer block' : 'Linear layer'}${missing === 1 ? '' : 's'}`;
  const text = `The link asks for more ranks than this net has layers with weights, so ${added} ${
    missing === 1 ? 'was' : 'were'
  } added.`;
  return { level: 'info', id: 'link-deeper', text, hint: 'A link that names its layers keeps them as they are.' };
}
