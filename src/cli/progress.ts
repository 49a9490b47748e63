/**
 * Progress lines, one per micro-batch (per step if `accumulate` is 1). On a terminal, each rewrites the last, at most
 * ten times a second; in a log each is a new line. Writes to standard error, so that a report on standard output stays
 * clean.
 */
import { stepWords } from '../protocol/micro-batches';
import type { LossRecord } from '../protocol/trace';

export interface ProgressLine {
  /** `total`: steps of the run; `accumulate`: micro-batches per step. */
  step(record: LossRecord, total: number, accumulate: number): void;
  /** Prints a permanent line above the progress line. */
  say(text: string): void;
  end(): void;
}

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const REDRAW_MS = 100;
const CLEAR_LINE = '\r\x1b[2K';

export function createProgress(output: Output, now: () => number = () => performance.now()): ProgressLine {
  const rewrite = output.isTTY === true;
  let last = Number.NEGATIVE_INFINITY;
  let open = false;
  const close = (): void => {
    if (open) output.write('\n');
    open = false;
  };
  return {
    step(record, total, accumulate) {
      const line = formatStep(record, total, accumulate);
      if (!rewrite) {
        output.write(`${line}\n`);
        return;
      }
      const isLast = record.step + 1 >= total && record.microBatch % accumulate === accumulate - 1;
      if (!isLast && now() - last < REDRAW_MS) return;
      last = now();
      open = true;
      output.write(`${CLEAR_LINE}${progressBar(record.step + 1, total)} ${line}`);
      if (isLast) close();
    },
    say(text) {
      close();
      output.write(`${text}\n`);
    },
    end: close,
  };
}

/**
 * `[ 3/20] step 2  epoch 0  loss 0.693147  ranks 0.69 0.70`. Steps are numbered from 0, as in the report and in errors.
 */
export function formatStep(record: LossRecord, total: number, accumulate: number): string {
  const count = String(record.step + 1).padStart(String(total).length);
  const ranks =
    record.perRank.length > 1
      ? `  ranks ${record.perRank.map((loss) => (Number.isNaN(loss) ? '-' : loss.toPrecision(4))).join(' ')}`
      : '';
  return `[${count}/${total}] ${stepWords(record.microBatch, { accumulate })}  epoch ${record.epoch}  loss ${record.loss.toPrecision(6)}${ranks}`;
}

function progressBar(done: number, total: number): string {
  const width = 20;
  const filled = Math.round((width * done) / Math.max(total, 1));
  return `${'#'.repeat(filled)}${'.'.repeat(width - filled)}`;
}
