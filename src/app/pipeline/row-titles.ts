/** What is written before each row of the pipeline picture. Pure. */
import type { Schedule } from '../../schedules/schedule';
import type { Palette } from '../draw/theme';
import type { RowTitle } from './paint-picture';

/** Rank r of the pipeline is the global ranks r · replicas and the following ones. */
export function titlesOf(
  { ranks, stages, rankOfStage }: Schedule,
  replicas: number,
  palette: Palette,
): readonly RowTitle[] {
  return Array.from({ length: ranks }, (_, rank) => {
    const globalRanks = Array.from({ length: replicas }, (_, replica) => rank * replicas + replica);
    const colours = globalRanks.map((one) => palette.ranks[one % palette.ranks.length] ?? palette.ink);
    const own = rankOfStage.flatMap((home, stage) => (home === rank ? [stage] : []));
    if (stages === ranks) {
      const detail = replicas === 1 ? `rank ${rank}` : `ranks ${globalRanks.join(', ')}`;
      return { name: `stage ${rank}`, detail, colours };
    }
    return { name: `rank ${rank}`, detail: `stages ${own.join(', ')}`, colours };
  });
}

/** By stage, which of its rank's stages it is, from 0. */
export const chunksOf = ({ rankOfStage }: Pick<Schedule, 'rankOfStage'>): readonly number[] =>
  rankOfStage.map((rank, stage) => rankOfStage.slice(0, stage).filter((other) => other === rank).length);
