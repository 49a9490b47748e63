/**
 * Writes the output of a PyTorch run's ranks to standard error: progress as in Lockstep's own runs, every other line
 * with its rank before it. Keeps the reported losses for the case that rank 0 can no longer write the report. Called by
 * train-in-torch.ts.
 */
import type { Notice } from '../../protocol/notice';
import type { LossRecord } from '../../protocol/trace';
import type { ProgressLine } from '../progress';
import { causeOf, type LostRank } from './lost-ranks';
import { RankLosses, type ToldLoss } from './rank-losses';
import type { TorchProcess } from './rank-server';

/** The beginning of the script's progress lines. */
const PROGRESS = 'LOCKSTEP {';

interface OutputOf {
  /** The number of processes on all machines. */
  readonly processes: number;
  /** The number of processes on this machine. */
  readonly here: number;
  readonly nodes: number;
  readonly steps: number;
  readonly accumulate: number;
  readonly timeoutS: number;
  readonly maxRestarts: number;
  /** Whether progress lines are left out. */
  readonly quiet: boolean;
}

export class RankOutput {
  /** The records of every micro-batch, including those before a restart, for the ranks of this machine. */
  readonly records: LossRecord[] = [];
  readonly notices: Notice[] = [];
  begun = false;
  private readonly losses: RankLosses;

  constructor(
    private readonly progress: ProgressLine,
    private readonly run: OutputOf,
  ) {
    const { quiet, steps, accumulate, here } = run;
    const give = (record: LossRecord): void => {
      this.records.push(record);
      if (!quiet) progress.step(record, steps, accumulate);
    };
    this.losses = new RankLosses({ processes: here, accumulate, give });
  }

  line({ rank }: Pick<TorchProcess, 'rank'>, text: string): void {
    const loss = text.startsWith(PROGRESS) ? readLoss(text) : undefined;
    if (loss) this.losses.take(loss);
    else if (text.trim() !== '') this.progress.say(this.run.processes > 1 ? `[rank ${rank}] ${text}` : text);
  }

  /** An attempt has begun; `lost`: the ranks that ended the previous attempt. */
  attempt(restart: number, lost: readonly LostRank[]): void {
    this.begun = true;
    if (restart === 0) return;
    this.losses.restart();
    const { nodes, timeoutS, maxRestarts } = this.run;
    const why = causeOf(lost, timeoutS, nodes)?.message ?? 'A rank on another machine failed.';
    const where = nodes > 1 ? 'All ranks of this machine' : 'All ranks';
    const text = `${why}\n${where} start again, restart ${restart} of ${maxRestarts}.`;
    this.notices.push({ level: 'warning', id: 'restarted', text, hint: '' });
    this.progress.say(`warning: ${text}`);
  }

  end(): void {
    this.losses.flush();
    this.progress.end();
  }
}

function readLoss(text: string): ToldLoss | undefined {
  try {
    return JSON.parse(text.slice(PROGRESS.length - 1)) as ToldLoss;
  } catch {
    return undefined;
  }
}
