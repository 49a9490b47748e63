/**
 * What became of the processes of the ranks, over all attempts of one run: who began, what each told, who is gone.
 * Ends nobody. Kept by run-ranks.ts.
 */
import type { LostRank } from './lost-ranks';
import type { Told, TorchProcess } from './rank-server';

export interface Life extends TorchProcess {
  readonly told: readonly Told[];
  /** In seconds; undefined: it is alive. */
  readonly goneAt: number | undefined;
}

export class RankLives {
  private readonly all: { -readonly [K in keyof Life]: Life[K] }[] = [];

  began(process: TorchProcess): void {
    this.all.push({ ...process, told: [], goneAt: undefined });
  }

  /** Undefined: it has not begun. */
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

  /** Those that have begun since all ranks started again for the `restart`-th time. */
  attempt(restart: number): readonly Life[] {
    return this.all.filter((life) => life.restart === restart);
  }

  alive(): readonly Life[] {
    return this.all.filter(isAlive);
  }

  /** How often all ranks started again. */
  restarts(): number {
    return Math.max(0, ...this.all.map(({ restart }) => restart));
  }

  private find({ pid }: TorchProcess) {
    return this.all.findLast((life) => life.pid === pid);
  }
}

export const isAlive = ({ goneAt }: Life): boolean => goneAt === undefined;

/** By itself, whatever its status is. */
export const hasEnded = ({ told }: Life): boolean => told.some((each) => 'ended' in each);

/** Those that did not come to their end; `codes`: what is known of their exits otherwise, by process. */
export function lostOf(lives: readonly Life[], codes: ReadonlyMap<number, number>): readonly LostRank[] {
  return lives.flatMap((life): LostRank[] => {
    const failed = life.told.find((told) => 'failed' in told);
    const end = life.told.find((told) => 'ended' in told);
    const where = life.told.findLast((told) => 'where' in told);
    const exitCode = end?.ended ?? codes.get(life.pid);
    // Stopped by torchrun, since another one failed.
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
