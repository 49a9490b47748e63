/**
 * Combines the losses that the ranks of a run in PyTorch report, one line each, to one record per micro-batch. Ranks
 * wait for each other only once per step, so one may be ahead; some have no loss at all, or run out of batches. Called
 * by rank-output.ts.
 */
import { at } from '../../base/invariant';
import type { LossRecord } from '../../protocol/trace';

/** A line of the script; a NaN loss is null in JSON. */
export interface ToldLoss {
  readonly rank: number;
  readonly step: number;
  readonly microBatch: number;
  readonly epoch: number;
  readonly loss: number | null;
}

interface Settings {
  /** The number of processes on this machine; not all of them need report a loss. */
  readonly processes: number;
  readonly accumulate: number;
  readonly give: (record: LossRecord) => void;
  /** The clock, in milliseconds. */
  readonly now?: () => number;
}

/** The time to wait for a rank: the output of ranks that train together may be read seconds apart. */
const PATIENCE_MS = 2000;

export class RankLosses {
  private readonly told = new Map<number, ToldLoss[]>();
  /**
   * By rank: the last reported micro-batch, and the number of its losses per micro-batch (several workers of one
   * process).
   */
  private readonly latest = new Map<number, number>();
  private readonly usual = new Map<number, number>();
  /** By rank: the time of its last report; for a rank without reports, the time of the first loss counts. */
  private readonly heard = new Map<number, number>();
  private began: number | undefined;
  /** The next micro-batch to pass on; undefined: the first that arrives. */
  private next: number | undefined;

  constructor(private readonly settings: Settings) {}

  take(loss: ToldLoss): void {
    const { rank, microBatch } = loss;
    this.began ??= this.now();
    this.heard.set(rank, this.now());
    // Late losses are ignored here; the script's report has them.
    if (microBatch < (this.next ?? 0)) return;
    this.told.set(microBatch, [...(this.told.get(microBatch) ?? []), loss]);
    this.latest.set(rank, Math.max(microBatch, this.latest.get(rank) ?? -1));
    for (let first = this.first(); first !== undefined && this.isComplete(first); first = this.first())
      this.complete(first);
  }

  /** All ranks start again from an earlier micro-batch. */
  restart(): void {
    this.flush();
    this.latest.clear();
    this.heard.clear();
    this.began = undefined;
    this.next = undefined;
  }

  /** Passes on the rest, because no more losses will arrive. */
  flush(): void {
    for (let first = this.first(); first !== undefined; first = this.first()) this.complete(first);
  }

  private first(): number | undefined {
    return this.told.size === 0 ? undefined : Math.min(...this.told.keys());
  }

  /** Whether no rank will report more losses of this micro-batch. */
  private isComplete(microBatch: number): boolean {
    const { processes, accumulate } = this.settings;
    const all = this.told.get(microBatch) ?? [];
    const isThrough = (rank: number): boolean => {
      if ((this.latest.get(rank) ?? -1) > microBatch) return true;
      const usual = this.usual.get(rank);
      return usual !== undefined && all.filter((loss) => loss.rank === rank).length >= usual;
    };
    // A silent rank that is more than a step behind has no batches left, or never has a loss.
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
    // Such a rank is waited for again once it reports again.
    for (const [rank, latest] of this.latest) if (latest < microBatch) this.latest.delete(rank);
    this.settings.give(recordOf(all));
  }
}

function recordOf(all: readonly ToldLoss[]): LossRecord {
  const { step, microBatch, epoch } = at(all, 0);
  // The losses of one process's workers stay in the order of their reports.
  const perRank = all.toSorted((a, b) => a.rank - b.rank).map(({ loss }) => loss ?? Number.NaN);
  const finite = perRank.filter((loss) => !Number.isNaN(loss));
  return { step, microBatch, epoch, perRank, loss: finite.reduce((sum, loss) => sum + loss, 0) / finite.length };
}
