/**
 * Switching modes back and forth: what a mode has set so that a run of it opens (fewer ranks, dropLast) is taken back
 * when the user leaves it, except where he has changed it meanwhile. Called by the bar's mode picker. Pure.
 */
import type { Config } from '../../protocol/config';
import { withMode, withSettings } from './edit-config';
import { readSetting, type SettingPath } from './setting-ranges';

/** A setting that was changed beside the mode. */
interface Change {
  readonly path: SettingPath;
  readonly before: unknown;
  readonly after: unknown;
}
export type ModeChanges = readonly Change[];

/** Where a mode may change something. */
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

/** `changes`: of the last switch; `rows`: training rows in an epoch, where they are known. */
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
