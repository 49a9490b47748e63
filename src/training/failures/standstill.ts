/**
 * The state of a stalled process group, for the stage and its sentence: which rank is late, which ranks wait for which
 * and in which call, which have ended. It has the facts that explainFailure() reports afterwards, from the first second
 * on. Pure; called by standstill-watch.ts and, when a rank has failed, by recovery.ts.
 */
import type { LockstepError } from '../../base/errors';
import type { RankStanding, Standstill } from '../../protocol/session-events';
import type { Rank } from '../../protocol/trace';
import type { FailureDetails, StandsAt } from '../../runtime/launch/world';
import type { Blueprint } from '../blueprint';
import { instructionWords, processName } from './failure-words';
import { isOfRank } from './restartable';
import { whoWaits } from './who-waits';

type Group = Pick<Blueprint, 'programs' | 'processOfDevice' | 'config' | 'mode'>;

interface Observed {
  readonly positions: readonly StandsAt[];
  readonly stopped?: { readonly rank: Rank; readonly instruction: number } | undefined;
  readonly ended?: Rank | undefined;
}

function ranksOf(
  { programs, processOfDevice, mode, config }: Group,
  { positions, stopped, ended }: Observed,
): readonly RankStanding[] {
  const longest = positions.reduce<StandsAt | undefined>(
    (most, p) => ((p.waitedMs ?? -1) > (most?.waitedMs ?? -1) ? p : most),
    undefined,
  );
  const from = ended ?? stopped?.rank ?? (longest && processOfDevice[longest.device]);
  const { culprit, waitsFor, placeOfRank } = whoWaits({ programs, processOfDevice, positions, stopped, from });
  return [...new Set(processOfDevice)].map((rank): RankStanding => {
    const place = placeOfRank(rank);
    const at = place && instructionWords(place.instruction);
    const who = { rank, ...(mode.face.failsByDevice ? { name: processName(rank, { mode, config }) } : {}) };
    if (rank === ended) return { ...who, is: 'ended', at, waitsFor: undefined };
    if (rank === culprit) return { ...who, is: 'late', at, waitsFor: undefined };
    const waiting = place && waitsFor(place);
    return { ...who, is: waiting === undefined ? 'running' : 'waiting', at, waitsFor: waiting };
  });
}

/** Undefined until some rank has waited for another rank for at least `leastMs`. */
export function standstillOf(
  group: Group,
  positions: readonly StandsAt[],
  microBatch: number,
  leastMs: number,
): Standstill | undefined {
  const waitedMs = Math.max(-1, ...positions.map((p) => p.waitedMs ?? -1));
  if (waitedMs < leastMs) return undefined;
  const stopped = positions.find(({ fault }) => fault)?.fault;
  const ranks = ranksOf(group, { positions, stopped });
  if (!ranks.some(({ is }) => is === 'waiting')) return undefined;
  return { microBatch, accumulate: group.config.accumulate, ranks, waitedMs, timeoutMs: 1000 * group.config.timeoutS };
}

/** The state after a rank has failed, when no rank waits any longer. Undefined for other failures. */
export function standstillAfter(group: Group, failure: LockstepError, microBatch: number): Standstill | undefined {
  if (!isOfRank(failure)) return undefined;
  const { rank, fault, positions = [] } = failure.details as Partial<FailureDetails>;
  const ended = failure.code === 'rank-failed' ? (fault?.rank ?? rank) : undefined;
  const stopped = fault ?? undefined;
  const ranks = ranksOf(group, { positions, stopped, ended });
  return {
    microBatch,
    accumulate: group.config.accumulate,
    ranks,
    waitedMs: undefined,
    timeoutMs: 1000 * group.config.timeoutS,
  };
}
