/**
 * Which settings of a checkpoint's configuration differ from the resuming run's, and whether they change the order of
 * batches. Called by resume-plan.ts.
 */
import * as v from 'valibot';
import { lookup } from '../../base/lookup';
import type { Face } from '../../parallel/face';
import { FACES } from '../../parallel/faces';
import type { ModeBatches } from '../../parallel/facets/mode-batches';
import { type Config, configSchema } from '../../protocol/config';

/** Settings that change no bit of a run: how long it runs, on which device, how closely it is watched. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'steps',
  'epochs',
  'placement',
  'device',
  'nodes',
  'visibleDevices',
  'adapters',
  'timeoutS',
  'maxRestarts',
  'stragglers',
  'hardware',
  'memoryBudgetMb',
  'fuse',
  'threads',
  'checkpointSegments',
  'compareSingle',
  'weights',
  'resume',
  'resumeBy',
  // These have their own notices.
  'mode',
  'worldSize',
] satisfies readonly (keyof Config)[]);

/** Settings that decide the order of rows. */
export const OF_BATCHES: ReadonlySet<string> = new Set([
  'data',
  'loss',
  'batchSize',
  'accumulate',
  'shuffle',
  'dropLast',
  'seed',
] satisfies readonly (keyof Config)[]);

export interface ConfigChanges {
  /** Names of all differing settings that have an effect. */
  readonly names: readonly string[];
  /** The differing settings that change the order of batches. */
  readonly ofBatches: readonly string[];
}

/**
 * A setting that an older version did not write gets its default, and settings that affect only the modelled clock are
 * left out. A configuration that this version cannot parse is compared unchanged.
 */
function comparable(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const read = v.safeParse(configSchema, config);
  if (!read.success) return config;
  const { sharded, ...rest } = read.output;
  return { ...rest, sharded: { ...sharded, cpuOffload: undefined } };
}

export function configChanges(
  given: Readonly<Record<string, unknown>>,
  now: Config,
  { face, batches }: { readonly face: Face; readonly batches: ModeBatches },
): ConfigChanges {
  const saved = comparable(given);
  const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  const present = comparable(now);
  const keys = [...new Set([...Object.keys(saved), ...Object.keys(present)])].filter((key) => !WITHOUT_EFFECT.has(key));
  const used = keys.filter((key) => isUsed(key, face) && differs(lookup(saved, key), lookup(present, key)));
  const settingOf = (config: Readonly<Record<string, unknown>>, path: string): unknown => {
    const [section = '', key = ''] = path.split('.');
    return lookup((lookup(config, section) ?? {}) as Readonly<Record<string, unknown>>, key);
  };
  const ofSampler = (batches.settings ?? []).filter((path) =>
    differs(settingOf(saved, path), settingOf(present, path)),
  );
  return {
    names: used,
    ofBatches: [...used.filter((key) => OF_BATCHES.has(key)), ...ofSampler],
  };
}

/** Settings of other modes have no effect. */
const isUsed = (key: string, { sections = [] }: Face): boolean =>
  sections.some((section) => section === key) || !SECTIONS.has(key);
const SECTIONS: ReadonlySet<string> = new Set(Object.values(FACES).flatMap(({ sections = [] }) => sections));
