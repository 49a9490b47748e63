/**
 * What the flight recorder of a training run is written from: which steps were asked for and when they were known to be done, with the times of those that were traced, and
 * where every device stood when the process group failed. It costs an entry a call of run() or trace(); flight-dump.ts makes PyTorch's records of it when somebody
 * asks. It outlives restarts: each is a process group of its own.
 */

import type { InstructionRecord } from '../../runtime/executor';
import type { FailureDetails, StandsAt } from '../../runtime/launch/world';

/** Steps that were asked for together. */
export interface FlightSpan {
  /** How many restarts there had been. */
  readonly attempt: number;
  readonly steps: readonly { readonly step: number; readonly variant: string }[];
  readonly createdNs: number;
  completedNs?: number;
  /** Of a traced step. */
  records?: readonly Pick<InstructionRecord, 'id' | 'startUs' | 'durUs'>[];
  /** It failed with the group: where the devices stood. */
  positions?: readonly StandsAt[];
}

/** PyTorch keeps 2,000 entries at most; a record of a step is one or more of them. */
const MOST_STEPS = 1000;

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

  enqueued(steps: FlightSpan['steps']): FlightSpan {
    const span: FlightSpan = { attempt: this.attempt, steps, createdNs: nowNs() };
    this.kept.push(span);
    let count = this.kept.reduce((n, own) => n + own.steps.length, 0);
    while (this.kept.length > 1 && count - (this.kept[0]?.steps.length ?? 0) >= MOST_STEPS)
      count -= this.kept.shift()?.steps.length ?? 0;
    return span;
  }

  completed(span: FlightSpan, records?: readonly InstructionRecord[]): void {
    span.completedNs = nowNs();
    // Without what was captured.
    if (records) span.records = records.map(({ id, startUs, durUs }) => ({ id, startUs, durUs }));
  }

  /** The process group is gone; what is recorded from now on is the next one's. */
  failed({ positions = [], fault }: Partial<FailureDetails>): void {
    // Who died cannot say where it was, but it was told where to die.
    const dead = (step: number, variant: string): readonly StandsAt[] =>
      fault?.step === step
        ? [{ device: fault.rank, compute: fault.instruction, comm: fault.instruction, variant, step }]
        : [];
    for (const span of this.kept) {
      if (span.attempt !== this.attempt || span.completedNs !== undefined) continue;
      const own = span.steps.flatMap(({ step, variant }) => {
        const told = positions.filter((p) => p.step === step);
        return [...told, ...dead(step, variant).filter(({ device }) => !told.some((p) => p.device === device))];
      });
      if (own.length > 0) span.positions = own;
    }
    this.attempt++;
  }
}
