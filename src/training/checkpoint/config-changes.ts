/**
 * Which settings of a checkpoint's configuration differ from those of the run that resumes, and what hangs on them.
 * Called by resume-plan.ts.
 */
import { lookup } from '../../base/lookup';
import type { Config } from '../../protocol/config';

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
  'checkpointSegments',
  'compareSingle',
  'weights',
  'resume',
  'resumeBy',
  // Told by themselves.
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
const DDP_OF_BATCHES = ['samplerSeed', 'setEpoch', 'rankSeeds', 'samplesPerRank', 'join'] as const;

export interface ConfigChanges {
  /** Names of all settings that differ and count. */
  readonly names: readonly string[];
  /** Those among them by which the order of batches is another one. */
  readonly ofBatches: readonly string[];
}

export function configChanges(saved: Readonly<Record<string, unknown>>, now: Config): ConfigChanges {
  const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  const present = now as Readonly<Record<string, unknown>>;
  const keys = [...new Set([...Object.keys(saved), ...Object.keys(present)])].filter((key) => !WITHOUT_EFFECT.has(key));
  const used = keys.filter((key) => isUsed(key, now) && differs(lookup(saved, key), lookup(present, key)));
  const savedDdp = (saved['ddp'] ?? {}) as Readonly<Record<string, unknown>>;
  const ofSampler = now.mode === 'ddp' ? DDP_OF_BATCHES.filter((key) => differs(savedDdp[key], now.ddp[key])) : [];
  return {
    names: used,
    ofBatches: [...used.filter((key) => OF_BATCHES.has(key)), ...ofSampler.map((key) => `ddp.${key}`)],
  };
}

/** Settings of a mode that is not this one lie idle. */
function isUsed(key: string, { mode }: Config): boolean {
  if (key === 'ddp' || key === 'modelParallel' || key === 'parameterServer') return key === mode;
  return true;
}
