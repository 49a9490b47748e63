/**
 * Faults (kill, hang) that the user has scheduled for future steps. The plan outlives a restart: a fault that has fired
 * does not fire again; later ones still do. The session and the command line add faults; feeds-with-faults.ts takes
 * them out when their steps run.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import type { Config } from '../../protocol/config';
import { firstOfStep, stepOf } from '../../protocol/micro-batches';
import type { Rank } from '../../protocol/trace';
import type { Fault } from '../../runtime/launch/world';

export interface PlannedFault {
  readonly what: Fault['what'];
  readonly rank: Rank;
  /** The optimizer step in whose first micro-batch the fault fires. Absent: the next micro-batch. */
  readonly step?: number | undefined;
  /**
   * The instruction at which the fault fires. Absent, or not an instruction of the rank in that micro-batch: the rank's
   * first.
   */
  readonly instruction?: number | undefined;
}

type Planned = Omit<PlannedFault, 'step'> & { readonly microBatch: number | undefined };

export class FaultPlan {
  private planned: Planned[] = [];
  constructor(private readonly config: Pick<Config, 'accumulate'>) {}

  /** Faults of steps that are running. */
  private under: Fault[] = [];

  add({ step, ...fault }: PlannedFault): void {
    const microBatch = step === undefined ? undefined : firstOfStep(step, this.config);
    this.planned.push({ ...fault, microBatch });
  }

  clear(): void {
    this.planned = [];
    this.under = [];
  }

  /** Faults planned for a certain step that have not fired. */
  get left(): readonly Pick<PlannedFault, 'what' | 'rank' | 'step'>[] {
    return this.planned.flatMap(({ what, rank, microBatch }) =>
      microBatch === undefined ? [] : [{ what, rank, step: stepOf(microBatch, this.config) }],
    );
  }

  /**
   * After a failure: faults that have not fired, because an earlier step failed, are planned again for the repeated
   * steps.
   */
  replan({ details }: LockstepError): void {
    const struck = details['fault'] as Fault | undefined;

    const again = this.under.filter(
      ({ microBatch, rank }) => microBatch !== struck?.microBatch || rank !== struck.rank,
    );
    this.planned.unshift(...again);
    this.under = [];
  }

  /** The first micro-batch after `done` with a planned fault. */
  nextAfter(done: number): number {
    const later = this.planned.flatMap(({ microBatch = -1 }) => (microBatch > done ? [microBatch] : []));
    return Math.min(...later, Number.POSITIVE_INFINITY);
  }

  /**
   * Takes the fault of this micro-batch off the plan. If there are several, the others fire when the micro-batch runs
   * again.
   */
  take(microBatch: number, program: () => Program, processOfDevice: readonly Rank[]): Fault | undefined {
    const index = this.planned.findIndex((fault) => (fault.microBatch ?? microBatch) === microBatch);
    if (index < 0) return undefined;
    const [{ what, rank, instruction: wanted }] = this.planned.splice(index, 1) as [Planned];
    const own = program()
      .lanes.filter((lane) => processOfDevice[lane.device] === rank)
      .flatMap((lane) => lane.instructions);
    const instruction = own.find(({ id }) => id === wanted) ?? must(own[0], `an instruction of rank ${rank}`);
    const fault: Fault = { what, rank, microBatch, instruction: instruction.id };
    this.under.push(fault);
    return fault;
  }
}

/** Throws if no process of the run has that rank. */
export function checkRank(rank: Rank, processOfDevice: readonly Rank[]): void {
  if (processOfDevice.includes(rank)) return;
  const ranks = new Set(processOfDevice).size;
  const devices = processOfDevice.length;
  if (ranks > 1)
    throw new LockstepError(
      'config',
      `There is no rank ${rank}: ranks are 0 to ${ranks - 1}.`,
      'Choose one of these ranks.',
      { rank },
    );
  const drives = devices === 1 ? 'which drives cuda:0' : `which drives cuda:0 to cuda:${devices - 1}`;
  throw new LockstepError(
    'config',
    `There is no rank ${rank}: this run is one process, rank 0, ${drives} and fails as a whole.`,
    'Kill rank 0, and the process restarts from its last checkpoint. Hang rank 0, and every device of the process stops.',
    { rank },
  );
}
