/**
 * The log behind the flight recorder of a training run: which micro-batches were requested and when they were known to
 * be done, the times of traced micro-batches, and the instruction of every device when the process group failed. It
 * costs one entry per call of run() or trace(); flight-dump.ts turns it into PyTorch's records on request. It outlives
 * restarts, each of which makes a new process group.
 */

import type { ProgramKey } from '../../protocol/step-kind';
import type { InstructionRecord } from '../../runtime/executor';
import type { FailureDetails, StandsAt } from '../../runtime/launch/world';

/** Micro-batches that were requested together. */
export interface FlightSpan {
  /** Number of restarts before. */
  readonly attempt: number;
  readonly batches: readonly { readonly microBatch: number; readonly program: ProgramKey }[];
  readonly createdNs: number;
  completedNs?: number;
  /** Records of a traced step. */
  records?: readonly Pick<InstructionRecord, 'id' | 'startUs' | 'durUs'>[];
  /** The instruction of each device when the group failed. */
  positions?: readonly StandsAt[];
}

/** PyTorch keeps at most 2,000 entries; a micro-batch has one or more of them. */
const MOST_BATCHES = 1000;

const nowNs = (): number => Math.round((performance.timeOrigin + performance.now()) * 1e6);

export class FlightLog {
  private kept: FlightSpan[] = [];
  private attempt = 0;

  get spans(): readonly FlightSpan[] {
    return this.kept;
  }

  clear(): void {
    this.kept = [];
    this.attempt = 0;
  }

  enqueued(batches: FlightSpan['batches']): FlightSpan {
    const span: FlightSpan = { attempt: this.attempt, batches, createdNs: nowNs() };
    this.kept.push(span);
    let count = this.kept.reduce((n, own) => n + own.batches.length, 0);
    while (this.kept.length > 1 && count - (this.kept[0]?.batches.length ?? 0) >= MOST_BATCHES)
      count -= this.kept.shift()?.batches.length ?? 0;
    return span;
  }

  completed(span: FlightSpan, records?: readonly InstructionRecord[]): void {
    span.completedNs = nowNs();
    // Drops captured values.
    if (records) span.records = records.map(({ id, startUs, durUs }) => ({ id, startUs, durUs }));
  }

  /** The process group is gone; later records belong to the next group. */
  failed({ positions = [], fault }: Partial<FailureDetails>): void {
    // A dead rank cannot report its position, but the fault plan knows where it died.
    const dead = (microBatch: number, program: ProgramKey): readonly StandsAt[] =>
      fault?.microBatch === microBatch
        ? [{ device: fault.rank, compute: fault.instruction, comm: fault.instruction, program, microBatch }]
        : [];
    for (const span of this.kept) {
      if (span.attempt !== this.attempt || span.completedNs !== undefined) continue;
      const own = span.batches.flatMap(({ microBatch, program }) => {
        const told = positions.filter((p) => p.microBatch === microBatch);
        return [...told, ...dead(microBatch, program).filter(({ device }) => !told.some((p) => p.device === device))];
      });
      if (own.length > 0) span.positions = own;
    }
    this.attempt++;
  }
}
