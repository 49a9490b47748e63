/**
 * A link that names a mode does what the button of that mode does: the run gets the settings that the mode needs (ranks
 * that have work, batches of one length for a pipeline's stages). What the link says explicitly stays. permalink.ts
 * calls it in both directions. Pure.
 */
import type { Config } from '../../protocol/config';
import { withMeshDevices, withMode, withSettings } from '../edit/edit-config';
import type { SettingPath } from '../edit/setting-ranges';
import { trainRowsOf } from '../model/data-rows';

type Explicit = readonly (readonly [path: SettingPath, value: unknown])[];

/** `config` has the mode and all explicit settings; `before`: the mode that the link starts from. */
export function asTheButton(config: Config, before: Config['mode'], explicit: Explicit): Config {
  if (config.mode === before) return config;
  const fitted = withMode(withMeshDevices(config), config.mode, trainRowsOf(config.data));
  // Where both do not go together, the link is the one who said it.
  return withSettings(fitted, explicit) ?? config;
}
