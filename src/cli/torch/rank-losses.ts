/**
 * Losses of a run in PyTorch as its ranks tell them, one line each, put together to one record per micro-batch. Ranks
 * wait for each other once a step only, so one may be ahead; some have no loss at all, or run out of batches. Called by
 * rank-output.ts.
 */
import { at } from '../../base/invariant';
import type { LossRecord } from '../../protocol/trace';

/** A line of the script; a loss that is no number is null in JSON. */
export interface ToldLoss {
  readonly rank: number;
  readonly step: number;
  readonly microBatch: number;
  readonly epoch: number;
  readonly loss: number | null;
}

interface Settings {
  /** Processes on this machine: not all of them need tell a loss. */
  readonly processes: number;
  readonly accumulate: number;
  readonly give: (record: LossRecord) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

/** Ranks that train together may still be seconds apart in what has been read of them. */
const PATIENCE_MS = 2000;

export class RankLosses {
  private readonly told = new Map<number, ToldLoss[]>();
  /** By rank: the last micro-batch it told of, and how many losses it has of one (several workers of one process). */
  private readonly latest = new Map<number, number>();
  private readonly usual = new Map<number, number>();
  /** By rank: when it last told anything. For a rank that has told nothing, the time of the first loss counts. */
  private readonly heard = new Map<number, number>();
  private began: number | undefined;
  /** The next micro-batch to be given out; undefined: the first that comes. */
  private next: number | undefined;

  constructor(private readonly settings: Settings) {}

  take(loss: ToldLoss): void {
    const { rank, microBatch } = loss;
    this.began ??= this.now();
    this.heard.set(rank, this.now());
    // What is late is in the report of the script.
    if (microBatch < (this.next ?? 0)) return;
    this.told.set(microBatch, [...(this.told.get(microBatch) ?? []), loss]);
    this.latest.set(rank, Math.max(microBatch, this.latest.get(rank) ?? -1));
    for (let first = this.first(); first !== undefined && this.isComplete(first); first = this.first())
      this.complete(first);
  }

  /** All ranks begin again, from an earlier micro-batch. */
  restart(): void {
    this.flush();
    this.latest.clear();
    this.heard.clear();
    this.began = undefined;
    this.next = undefined;
  }

  /** No more will come. */
  flush(): void {
    for (let first = this.first(); first !== undefined; first = this.first()) this.complete(first);
  }

  private first(): number | undefined {
    return this.told.size === 0 ? undefined : Math.min(...this.told.keys());
  }

  /** Nobody will tell more of it. */
  private isComplete(microBatch: number): boolean {
    const { processes, accumulate } = this.settings;
    const all = this.told.get(microBatch) ?? [];
    const isThrough = (rank: number): boolean => {
      if ((this.latest.get(rank) ?? -1) > microBatch) return true;
      const usual = this.usual.get(rank);
      return usual !== undefined && all.filter((loss) => loss.rank === rank).length >= usual;
    };
    // A rank that is further behind than a step, and silent, has no batches any more, or never has a loss.
    const far = Math.max(...this.latest.values()) > microBatch + 2 * accumulate;
    const isSilent = (since: number | undefined): boolean => far && this.now() - (since ?? 0) > PATIENCE_MS;
    const known = [...this.latest.keys()];
    const allKnown = known.length >= processes || this.usual.size > 0 || isSilent(this.began);
    return allKnown && known.every((rank) => isThrough(rank) || isSilent(this.heard.get(rank)));
  }

  private now(): number {
    return this.settings.now?.() ?? performance.now();
  }

  private complete(microBatch: number): void {
    const all = this.told.get(microBatch) ?? [];
    this.told.delete(microBatch);
    this.next = microBatch + 1;
    const ranks = new Set(all.map(({ rank }) => rank));
    for (const rank of ranks) this.usual.set(rank, all.filter((loss) => loss.rank === rank).length);
    // It is waited for again when it tells again.
    for (const [rank, latest] of this.latest) if (latest < microBatch) this.latest.delete(rank);
    this.settings.give(recordOf(all));
  }
}

function recordOf(all: readonly ToldLoss[]): LossRecord {
  const { step, microBatch, epoch } = at(all, 0);
  // Of one process with several workers, in the order in which it tells them.
  const perRank = all.toSorted((a, b) => a.rank - b.rank).map(({ loss }) => loss ?? Number.NaN);
  const finite = perRank.filter((loss) => !Number.isNaN(loss));
  return { step, microBatch, epoch, perRank, loss: finite.reduce((sum, loss) => sum + loss, 0) / finite.length };
}
