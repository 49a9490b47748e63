/**
 * Which settings of a checkpoint's configuration differ from those of the run that resumes, and what hangs on them.
 * Called by resume-plan.ts.
 */
import * as v from 'valibot';
import { lookup } from '../../base/lookup';
import type { Face } from '../../parallel/face';
import { FACES } from '../../parallel/faces';
import type { ParallelMode } from '../../parallel/mode';
import { type Config, configSchema } from '../../protocol/config';

/** Settings that move no bit of a run: how long, on what, how closely watched. */
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
  // They have notices of their own.
  'mode',
  'worldSize',
] satisfies readonly (keyof Config)[]);

/** Settings that decide which rows come when. */
const OF_BATCHES: ReadonlySet<string> = new Set([
  'data',
  'loss',
  'batchSize',
  'accumulate',
  'shuffle',
  'dropLast',
  'seed',
] satisfies readonly (keyof Config)[]);

export interface ConfigChanges {
  /** Names of all settings that differ and count. */
  readonly names: readonly string[];
  /** Those among them by which the order of batches is another one. */
  readonly ofBatches: readonly string[];
}

/**
 * What an older version did not write has its default, and what only a modelled clock sees is left out. A configuration
 * that this version does not read is compared as it is.
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
  { face, settingsOfBatches = [] }: ParallelMode,
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
  const ofSampler = settingsOfBatches.filter((path) => differs(settingOf(saved, path), settingOf(present, path)));
  return {
    names: used,
    ofBatches: [...used.filter((key) => OF_BATCHES.has(key)), ...ofSampler],
  };
}

/** Settings of a mode that is not this one lie idle. */
const isUsed = (key: string, { sections = [] }: Face): boolean =>
  sections.some((section) => section === key) || !SECTIONS.has(key);
const SECTIONS: ReadonlySet<string> = new Set(Object.values(FACES).flatMap(({ sections = [] }) => sections));
