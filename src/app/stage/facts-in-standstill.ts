/**
 * The facts while the ranks hang: their buffers hold the values of the previous step, and each rank waits, is late or
 * has ended. Pure.
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
  // If one process drives all devices, its state is the state of every device.
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
