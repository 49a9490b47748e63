/**
 * What the flight recorder of a training run is written from: which micro-batches were asked for and when they were
 * known to be done, with the times of those that were traced, and which instruction every device was at when the
 * process group failed. It costs one entry per call of run() or trace(); flight-dump.ts makes PyTorch's records of it
 * when somebody asks. It outlives restarts: each is a process group of its own.
 */

import type { ProgramKey } from '../../protocol/step-kind';
import type { InstructionRecord } from '../../runtime/executor';
import type { FailureDetails, StandsAt } from '../../runtime/launch/world';

/** Micro-batches that were asked for together. */
export interface FlightSpan {
  /** How many restarts there had been. */
  readonly attempt: number;
  readonly batches: readonly { readonly microBatch: number; readonly program: ProgramKey }[];
  readonly createdNs: number;
  completedNs?: number;
  /** Of a traced step. */
  records?: readonly Pick<InstructionRecord, 'id' | 'startUs' | 'durUs'>[];
  /** It failed with the group: which instructions the devices were at. */
  positions?: readonly StandsAt[];
}

/** PyTorch keeps 2,000 entries at most; a record of a micro-batch is one or more of them. */
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
    // Without what was captured.
    if (records) span.records = records.map(({ id, startUs, durUs }) => ({ id, startUs, durUs }));
  }

  /** The process group is gone; what is recorded from now on is the next one's. */
  failed({ positions = [], fault }: Partial<FailureDetails>): void {
    // A dead rank cannot say where it was, but the fault plan says where it died.
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
