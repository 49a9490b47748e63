/** The titles before the rows of the pipeline picture. Pure. */
import type { Schedule } from '../../schedules/schedule';
import type { Palette } from '../draw/theme';
import type { RowTitle } from './paint-picture';

/** Rank r of the pipeline stands for the global ranks r · replicas to (r + 1) · replicas - 1. */
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

/** For each stage, its index among its rank's stages. */
export const chunksOf = ({ rankOfStage }: Pick<Schedule, 'rankOfStage'>): readonly number[] =>
  rankOfStage.map((rank, stage) => rankOfStage.slice(0, stage).filter((other) => other === rank).length);
