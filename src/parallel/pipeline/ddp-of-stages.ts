/**
 * Which of DDP's settings count for the DDP around each stage. A setting that torch takes there counts; one that it
 * takes only around a whole model, or that works otherwise there, is set to its default, and a notice says why. Links
 * that have such settings keep working. Called by split.ts (settle) and notices.ts.
 */
import { lookup } from '../../base/lookup';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import { replicasOf } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { COMPRESSING } from '../ddp/checks';

type DdpSettings = Config['ddp'];

/** Whether there are replicas or not. */
const OF_ROWS = ['algorithm', 'overlap', 'samplerSeed', 'setEpoch'] as const satisfies readonly (keyof DdpSettings)[];
/** What the reducer does. */
const OF_REDUCER = [
  'commHook',
  'gradientAsBucketView',
  'findUnusedParameters',
  'syncBatchNorm',
] as const satisfies readonly (keyof DdpSettings)[];

export function withDdpOfStages(config: Config): Config {
  const { ddp } = config;
  const usual = DEFAULT_CONFIG.ddp;
  const counting = {
    ...picked(ddp, OF_ROWS),
    ...(ddp.bucketCapMb === undefined ? {} : { bucketCapMb: ddp.bucketCapMb }),
    ...(replicasOf(config) === 1 ? {} : ofReducer(ddp)),
  };
  // Each replica keeps running statistics of its own.
  return { ...config, ddp: { ...usual, ...counting, broadcastBuffers: false } };
}

function picked<K extends keyof DdpSettings>(ddp: DdpSettings, names: readonly K[]): Partial<DdpSettings> {
  return Object.fromEntries(names.map((name) => [name, ddp[name]])) as Partial<DdpSettings>;
}

/** A hook that torch refuses is left out, and a view of gradients that the hook would need a copy of. */
function ofReducer(ddp: DdpSettings): Partial<DdpSettings> {
  const commHook = refusedHook(ddp) ? DEFAULT_CONFIG.ddp.commHook : ddp.commHook;
  const view = ddp.gradientAsBucketView && !COMPRESSING.has(commHook.type);
  return { ...picked(ddp, OF_REDUCER), commHook, gradientAsBucketView: view };
}

/** In torch's words: "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled". */
const refusedHook = ({ commHook: hook }: DdpSettings): boolean =>
  hook.type === 'powerSGD' && hook.startPowerSGDIter <= 1 && (hook.useErrorFeedback || hook.warmStart);

/** Why a setting does not count, where its name alone does not say it. */
function reasonOf(name: string, ddp: DdpSettings): string | undefined {
  switch (name) {
    case 'join':
    case 'divideByInitialWorldSize':
    case 'samplesPerRank':
      return 'join() shadows the collectives of DDP, and not the messages between stages: a replica without rows would leave its neighbours waiting';
    case 'noSync':
      return 'the schedule itself calls no_sync() around every micro-batch but the last';
    case 'staticGraph':
      return 'PyTorch 2.13 runs static_graph here and computes other gradients, because its first iteration counts the backward passes of all micro-batches';
    case 'commHook':
      return refusedHook(ddp)
        ? 'PyTorch: “Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled”'
        : undefined;
    case 'gradientAsBucketView':
      return COMPRESSING.has(ddp.commHook.type) ? 'the hook needs a bucket that is a copy of the gradients' : undefined;
    default:
      return undefined;
  }
}

/** Of the configuration as it was given. */
export function ignoredDdpNotices(config: Config): readonly Notice[] {
  const given: Readonly<Record<string, unknown>> = config.ddp;
  const usual: Readonly<Record<string, unknown>> = DEFAULT_CONFIG.ddp;
  const settled: Readonly<Record<string, unknown>> = withDdpOfStages(config).ddp;
  const differs = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);
  const ignored = Object.keys(given).filter((name) => {
    const value = lookup(given, name);
    return differs(value, lookup(usual, name)) && differs(value, lookup(settled, name));
  });
  if (ignored.length === 0) return [];
  const reasons = new Set(ignored.flatMap((name) => reasonOf(name, config.ddp) ?? []));
  const names = ignored.map((name) => `ddp.${name}`).join(', ');
  const why = reasons.size === 0 ? '' : `: ${[...reasons].join('; ')}`;
  return [
    {
      level: 'info',
      id: 'ddp-of-stages',
      text: `${names} ${ignored.length === 1 ? 'has' : 'have'} no effect in ${replicasOf(config) === 1 ? 'a pipeline without replicas' : 'mode pipeline'}${why}.`,
      hint: 'With replicas (mesh.dpReplicate), DDP around a stage takes bucketCapMb, algorithm, overlap, samplerSeed, setEpoch, commHook, gradientAsBucketView, findUnusedParameters and syncBatchNorm.',
    },
  ];
}
