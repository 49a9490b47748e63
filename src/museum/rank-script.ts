/**
 * The interface for a script of the museum: its process group, and functions to report what its rank does. See
 * scripts.ts.
 */
import type { Dist } from '../distributed/dist';
import type { Tensor } from '../distributed/tensor';
import type { RehearsalLine } from '../protocol/rehearsal';

export interface RankOnStage {
  readonly dist: Dist;
  readonly rank: number;
  readonly cured: boolean;
  calls(text: string): void;
  has(text: string): void;
  say(rank: number, kind: RehearsalLine['kind'], text: string): void;
}
export type RankScript = (stage: RankOnStage) => Promise<void>;

export const show = ({ data }: Pick<Tensor, 'data'>): string =>
  `[${[...data].map((value) => Number(value.toFixed(3))).join(', ')}]`;
