/**
 * Which of DDP's settings apply to a DDP around a part of a model: a stage of a pipeline, or the tensors of a rank of a
 * tensor group. A setting that torch accepts there applies. A setting that torch accepts only around a whole model, or
 * that works differently around a part, is set to its default, and a notice says why. Links that have such settings
 * keep working. Called by the modes pipeline, sharded and tensor.
 */
import { lookup } from '../../base/lookup';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { COMPRESSING } from './checks';
import { HOOK_NOTICES, hasHookNotices } from './rare-parts';

type DdpSettings = Config['ddp'];

const ALWAYS = ['bucketCapMb'] as const satisfies readonly (keyof DdpSettings)[];
/** Settings that apply with and without replicas. */
const OF_ROWS = ['algorithm', 'overlap', 'samplerSeed', 'setEpoch'] as const satisfies readonly (keyof DdpSettings)[];
/** Settings of the reducer. */
const OF_REDUCER = [
  'commHook',
  'gradientAsBucketView',
  'findUnusedParameters',
  'syncBatchNorm',
] as const satisfies readonly (keyof DdpSettings)[];

export interface DdpOfParts {
  /** Id of the notice about settings that do not apply. */
  readonly noticeId: string;
  /** Words for a run without replicas, and for the part that DDP is around: 'a pipeline', 'a stage'. */
  readonly words: readonly [run: string, part: string];
  /** All settings that apply, where something other than DDP averages gradients; absent: DDP's. */
  readonly only?: readonly (keyof DdpSettings)[];
  /** Settings that apply here beside those that apply in every mode with parts. */
  readonly more: readonly (keyof DdpSettings)[];
  /** Why a setting does not apply, if its name does not explain it. */
  readonly reasons: Readonly<Partial<Record<keyof DdpSettings, string>>>;
}

export function withDdpOfParts(config: Config, parts: DdpOfParts): Config {
  const { ddp } = config;
  const usual = DEFAULT_CONFIG.ddp;
  const counting = {
    ...picked(ddp, parts.only ?? [...OF_ROWS, ...parts.more]),
    ...(ddp.bucketCapMb === undefined ? {} : { bucketCapMb: ddp.bucketCapMb }),
    ...(parts.only || replicasOf(config) === 1 ? {} : ofReducer(ddp)),
  };
  // Each replica keeps running statistics of its own.
  return { ...config, ddp: { ...usual, ...counting, broadcastBuffers: false } };
}

function picked<K extends keyof DdpSettings>(ddp: DdpSettings, names: readonly K[]): Partial<DdpSettings> {
  return Object.fromEntries(names.map((name) => [name, ddp[name]])) as Partial<DdpSettings>;
}

/** Leaves out a hook that torch refuses, and gradientAsBucketView if the hook needs a copy of the gradients. */
function ofReducer(ddp: DdpSettings): Partial<DdpSettings> {
  const commHook = refusedHook(ddp) === undefined ? ddp.commHook : DEFAULT_CONFIG.ddp.commHook;
  const view = ddp.gradientAsBucketView && !COMPRESSING.has(commHook.type);
  return { ...picked(ddp, OF_REDUCER), commHook, gradientAsBucketView: view };
}

/** Why the run cannot use the hook. */
function refusedHook({ commHook: hook }: DdpSettings): string | undefined {
  if (hook.type === 'powerSGD' && hook.startPowerSGDIter <= 1 && (hook.useErrorFeedback || hook.warmStart))
    return 'PyTorch: “Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled”';
  return undefined;
}

function reasonOf(name: string, ddp: DdpSettings, parts: DdpOfParts): string | undefined {
  switch (name) {
    case 'commHook':
      return refusedHook(ddp);
    case 'gradientAsBucketView':
      return COMPRESSING.has(ddp.commHook.type) ? 'the hook needs a bucket that is a copy of the gradients' : undefined;
    default:
      return lookup(parts.reasons, name);
  }
}

/** The notices for a configuration as the user gave it. */
export function ignoredDdpNotices(config: Config, parts: DdpOfParts): readonly Notice[] {
  const given: Readonly<Record<string, unknown>> = config.ddp;
  const usual: Readonly<Record<string, unknown>> = DEFAULT_CONFIG.ddp;
  const settled: Readonly<Record<string, unknown>> = withDdpOfParts(config, parts).ddp;
  const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  const ignored = Object.keys(given).filter((name) => {
    const value = lookup(given, name);
    return differs(value, lookup(usual, name)) && differs(value, lookup(settled, name));
  });
  if (ignored.length === 0) return [];
  const reasons = new Set(ignored.flatMap((name) => reasonOf(name, config.ddp, parts) ?? []));
  const names = ignored.map((name) => `ddp.${name}`).join(', ');
  const why = reasons.size === 0 ? '' : `: ${[...reasons].join('; ')}`;
  const [run, part] = parts.words;
  const where = replicasOf(config) === 1 && !parts.only ? `${run} without replicas` : `mode ${config.mode}`;
  const counting = parts.only ?? [...ALWAYS, ...OF_ROWS, ...OF_REDUCER, ...parts.more];
  const list = `${counting.slice(0, -1).join(', ')} and ${counting.at(-1)}`;
  return [
    {
      level: 'info',
      id: parts.noticeId,
      text: `${names} ${ignored.length === 1 ? 'has' : 'have'} no effect in ${where}${why}.`,
      hint: parts.only
        ? `Of DDP’s settings, ${part} takes ${list}.`
        : `With replicas (mesh.dpReplicate), DDP around ${part} takes ${list}.`,
    },
  ];
}

/** The notices about hooks and SyncBatchNorm, for a settled configuration in which DDP averages gradients. */
export function hookNoticesOfParts(config: Config): readonly Notice[] {
  const replicas = replicasOf(config);
  if (replicas === 1 || !hasHookNotices(config)) return [];
  return HOOK_NOTICES.get().hookNotices({ ...config, worldSize: replicas });
}
