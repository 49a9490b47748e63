/**
 * The rank of each stage. In a loop, stage s is on rank s mod P; in a V the second half of the stages runs back, so
 * that rank 0 has the first and the last stage, and rank P-1 two neighbouring stages. Source:
 * generate_stage_to_rank_mapping of torch.
 */
export type StagePlacement = 'loop' | 'v';

export function placedOn(placement: StagePlacement, stage: number, ranks: number): number {
  const [round, place] = [Math.floor(stage / ranks), stage % ranks];
  return placement === 'v' && round % 2 === 1 ? ranks - 1 - place : place;
}

export const ranksOfStages = (placement: StagePlacement, stages: number, ranks: number): readonly number[] =>
  Array.from({ length: stages }, (_, stage) => placedOn(placement, stage, ranks));
