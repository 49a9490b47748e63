/**
 * What the stage shows while the ranks hang: what they hold is that of the step behind them, what they do is
 * that they wait, are late or have ended. Pure.
 */
import type { RankStanding, Standstill } from '../../protocol/session-events';
import type { SessionInfo } from '../../protocol/session-info';
import { standingWords } from '../terms/standstill-words';
import type { StageFacts } from './facts';
import type { Activity } from './scene-types';

const ACTIVITY: Readonly<Record<Exclude<RankStanding['is'], 'running'>, Activity>> = {
  ended: 'ended',
  late: 'late',
  waiting: 'waiting',
};

export function inStandstill(
  facts: StageFacts,
  standstill: Standstill,
  { processes, worldSize }: SessionInfo,
): StageFacts {
  // Where one process drives all devices, they share its fate.
  const rankOf = (device: number): number => (processes === worldSize ? device : 0);
  return {
    ...facts,
    now(device) {
      const words = standingWords(standstill, rankOf(device));
      const own = standstill.ranks.find(({ rank }) => rank === rankOf(device));
      if (!words || !own || own.is === 'running') return facts.now(device);
      return { activity: ACTIVITY[own.is], phase: undefined, module: '', words, event: undefined };
    },
    moving: [],
    transits: [],
  };
}
