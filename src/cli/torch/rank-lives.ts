/**
 * Records the ranks' processes over all attempts of one run: which began, what each reported, which are gone. Ends no
 * process. Used by run-ranks.ts.
 */
import type { LostRank } from './lost-ranks';
import type { Told, TorchProcess } from './rank-server';

export interface Life extends TorchProcess {
  readonly told: readonly Told[];
  /** When the process ended, in seconds; undefined: it is alive. */
  readonly goneAt: number | undefined;
}

export class RankLives {
  private readonly all: { -readonly [K in keyof Life]: Life[K] }[] = [];

  began(process: TorchProcess): void {
    this.all.push({ ...process, told: [], goneAt: undefined });
  }

  /** Records a report of a process; undefined: the process has not begun. */
  told(process: TorchProcess, told: Told): Life | undefined {
    const life = this.find(process);
    if (life) life.told = [...life.told, told];
    return life;
  }

  gone(process: TorchProcess): Life | undefined {
    const life = this.find(process);
    if (life) life.goneAt = Date.now() / 1000;
    return life;
  }

  /** The processes that have begun since all ranks started again for the `restart`-th time. */
  attempt(restart: number): readonly Life[] {
    return this.all.filter((life) => life.restart === restart);
  }

  alive(): readonly Life[] {
    return this.all.filter(isAlive);
  }

  /** The number of times that all ranks started again. */
  restarts(): number {
    return Math.max(0, ...this.all.map(({ restart }) => restart));
  }

  private find({ pid }: TorchProcess) {
    return this.all.findLast((life) => life.pid === pid);
  }
}

export const isAlive = ({ goneAt }: Life): boolean => goneAt === undefined;

/** Whether the process ended by itself, with any status. */
export const hasEnded = ({ told }: Life): boolean => told.some((each) => 'ended' in each);

/** The ranks that did not finish; `codes`: exit codes known from elsewhere, by process. */
export function lostOf(lives: readonly Life[], codes: ReadonlyMap<number, number>): readonly LostRank[] {
  return lives.flatMap((life): LostRank[] => {
    const failed = life.told.find((told) => 'failed' in told);
    const end = life.told.find((told) => 'ended' in told);
    const where = life.told.findLast((told) => 'where' in told);
    const exitCode = end?.ended ?? codes.get(life.pid);
    // Stopped by torchrun because another rank failed.
    const isStopped = exitCode === 143 || exitCode === 130 || (exitCode === -15 && !where);
    if (end?.ended === 0 || (isStopped && !failed)) return [];
    return [
      {
        process: life,
        time: failed?.time ?? life.goneAt ?? Date.now() / 1000,
        ...(failed ? { failed: failed.failed } : {}),
        ...(end?.said === undefined ? {} : { said: end.said }),
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(where === undefined || failed ? {} : { leftOver: where.where }),
      },
    ];
  });
}
