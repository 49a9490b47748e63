/**
 * Notices about settings that few runs have. Their code is loaded for these runs (load-parts.ts) and called here.
 * Called by blueprint.ts.
 */
import { Part } from '../../base/part';
import type { Program } from '../../program/instruction';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import type { Notice } from '../../protocol/notice';

const FAILURES = new Part('Notices about failures', () => import('../failures/failure-notices'));
const OPTIMIZER = new Part('Notices about optimizers', () => import('../../config/optimizer-notices'));
if (!globalThis.LOCKSTEP_SITE) await Promise.all([FAILURES.load(), OPTIMIZER.load()]);

const mayFail = ({ stragglers, timeoutS }: Config): boolean =>
  stragglers.length > 0 || timeoutS !== DEFAULT_CONFIG.timeoutS;

const hasSchedule = ({ scheduler, paramGroups, clipGradNormType }: Config): boolean =>
  scheduler !== undefined || paramGroups.length > 0 || clipGradNormType !== undefined;

export const rareNotices = (config: Config): readonly Part<unknown>[] => [
  ...(mayFail(config) ? [FAILURES] : []),
  ...(hasSchedule(config) ? [OPTIMIZER] : []),
];

interface NoticedRun {
  readonly config: Config;
  readonly devices: number;
  readonly processes: number;
  readonly programs: readonly Program[];
  /** Names of all trained parameters. */
  readonly parameters: readonly string[];
}

export const failureNoticesOf = ({ config, devices, processes, programs }: NoticedRun): readonly Notice[] => {
  if (!mayFail(config)) return [];
  const { failureNotices, linksOf } = FAILURES.get();
  return failureNotices(config, { devices, processes, links: linksOf(programs) });
};

export const optimizerNoticesOf = ({ config, parameters }: NoticedRun): readonly Notice[] =>
  hasSchedule(config) ? OPTIMIZER.get().optimizerNotices(config, parameters) : [];
