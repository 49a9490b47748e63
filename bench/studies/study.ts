/**
 * The interface of a study: it compares Lockstep with a yardstick; both take turns, round by round. A ratio is the
 * median of the ratios of the rounds.
 */
import { median } from '../summary.mjs';
import { timed } from '../timed';

export interface StudyOptions {
  readonly rounds: number;
  readonly milliseconds: number;
  /** Dawn's under Node; in a page the browser's. */
  readonly gpu: GPU | undefined;
  /** CPU time of all processes of the browser so far, in seconds; undefined outside of a browser. */
  readonly cpuSeconds?: (() => Promise<number>) | undefined;
}

export interface StudyResult {
  readonly columns: readonly string[];
  /** undefined: not measured. */
  readonly rows: readonly { readonly title: string; readonly values: readonly (number | undefined)[] }[];
  /** Each ratio should be at most its bar, if it has one. */
  readonly ratios: readonly {
    readonly title: string;
    readonly by: string;
    readonly value: number;
    readonly bar?: number;
  }[];
  readonly notes?: readonly string[];
}

export interface Study {
  /** The name that `--only` selects. */
  readonly id: string;
  readonly title: string;
  /** Runs in a page that is cross-origin isolated, so its threads share memory. */
  readonly isolated?: boolean;
  run(options: StudyOptions): Promise<StudyResult>;
}

type Run = (count: number) => Promise<void>;

/**
 * Milliseconds per run, one list per round. All runners take turns, so that other work of the machine slows them
 * equally.
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
