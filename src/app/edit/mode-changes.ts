/**
 * Switching modes back and forth: settings that a mode needed to open (fewer ranks, dropLast) are restored when the
 * user leaves the mode, unless the user has changed them meanwhile. Called by the bar's mode picker. Pure.
 */
import type { Config } from '../../protocol/config';
import { withMode, withSettings } from './edit-config';
import { readSetting, type SettingPath } from './setting-ranges';

/** A setting that changed together with the mode. */
interface Change {
  readonly path: SettingPath;
  readonly before: unknown;
  readonly after: unknown;
}
export type ModeChanges = readonly Change[];

/** The settings that a mode may change. */
const PATHS: readonly SettingPath[] = [
  ['worldSize'],
  ['accumulate'],
  ['dropLast'],
  ['mesh', 'pp'],
  ['mesh', 'dpReplicate'],
  ['mesh', 'dpShard'],
  ['mesh', 'tp'],
  ...['schedule', 'stagesPerRank', 'microBatches', 'split', 'actions'].map((key) => ['pipeline', key]),
  ['modelParallel', 'split'],
  ['precision'],
  ['gradScaler', 'enabled'],
];

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** `changes`: those of the last switch; `rows`: training rows in an epoch, if known. */
export function switchMode(
  config: Config,
  mode: Config['mode'],
  { changes, rows }: { readonly changes: ModeChanges; readonly rows: number | undefined },
): { readonly config: Config; readonly changes: ModeChanges } {
  const untouched = changes.filter(({ path, after }) => same(readSetting(config, path), after));
  const before = withSettings(
    config,
    untouched.map(({ path, before: value }) => [path, value]),
  );
  const start = before ?? config;
  const next = withMode(start, mode, rows);
  const made = PATHS.map((path) => ({ path, before: readSetting(start, path), after: readSetting(next, path) }));
  return { config: next, changes: made.filter((change) => !same(change.before, change.after)) };
}
