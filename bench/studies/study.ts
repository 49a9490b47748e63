/**
 * What a study measures and gives: Lockstep beside a yardstick in the same run, in turn, round by round. A ratio is the
 * median of the rounds' own.
 */
import { median } from '../summary.mjs';
import { timed } from '../timed';

export interface StudyOptions {
  readonly rounds: number;
  readonly milliseconds: number;
  /** Dawn's under Node; in a page its own. */
  readonly gpu: GPU | undefined;
}

export interface StudyResult {
  readonly columns: readonly string[];
  /** undefined: not measured. */
  readonly rows: readonly { readonly title: string; readonly values: readonly (number | undefined)[] }[];
  /** Each is to be at most its bar, where it has one. */
  readonly ratios: readonly {
    readonly title: string;
    readonly by: string;
    readonly value: number;
    readonly bar?: number;
  }[];
  readonly notes?: readonly string[];
}

export interface Study {
  /** What `--only` names. */
  readonly id: string;
  readonly title: string;
  run(options: StudyOptions): Promise<StudyResult>;
}

type Run = (count: number) => Promise<void>;

/**
 * Milliseconds per run, one list per round: all of them take turns, so that what else the machine does falls on each
 * alike.
 */
export async function inTurn<const K extends string>(
  runs: Readonly<Record<K, Run>>,
  { rounds, milliseconds }: StudyOptions,
): Promise<Readonly<Record<K, readonly number[]>>> {
  const names = Object.keys(runs) as K[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round < rounds; round++)
    for (const name of names) taken[name].push(1000 / (await timed(runs[name], milliseconds)));
  return taken;
}

export const middle = (values: readonly number[]): number => median([...values].sort((a, b) => a - b));

/** Round by round. */
export const ratioOf = (own: readonly number[], other: readonly number[]): number =>
  middle(own.map((value, round) => value / (other[round] ?? Number.NaN)));
