/**
 * Faults (kill, hang) that the user has scheduled for future steps. The plan outlives a restart: a fault that has fired
 * does not fire again; later ones still do. Filled by the session and the command line; emptied by
 * feeds-with-faults.ts as steps are asked for.
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
  /** Of the optimizer: its first micro-batch is struck. Absent: the next micro-batch. */
  readonly step?: number | undefined;
  /** Absent, or not one of the rank's in that micro-batch: its first. */
  readonly instruction?: number | undefined;
}

type Planned = Omit<PlannedFault, 'step'> & { readonly microBatch: number | undefined };

export class FaultPlan {
  private planned: Planned[] = [];
  constructor(private readonly config: Pick<Config, 'accumulate'>) {}

  /** On their way with their steps. */
  private under: Fault[] = [];

  add({ step, ...fault }: PlannedFault): void {
    const microBatch = step === undefined ? undefined : firstOfStep(step, this.config);
    this.planned.push({ ...fault, microBatch });
  }

  clear(): void {
    this.planned = [];
    this.under = [];
  }

  /** Planned for a certain step and not come true. */
  get left(): readonly Pick<PlannedFault, 'what' | 'rank' | 'step'>[] {
    return this.planned.flatMap(({ what, rank, microBatch }) =>
      microBatch === undefined ? [] : [{ what, rank, step: stepOf(microBatch, this.config) }],
    );
  }

  /** After a failure: what has not come true, since an earlier step failed, is for the steps as they run again. */
  replan({ details }: LockstepError): void {
    const struck = details['fault'] as Fault | undefined;

    const again = this.under.filter(
      ({ microBatch, rank }) => microBatch !== struck?.microBatch || rank !== struck.rank,
    );
    this.planned.unshift(...again);
    this.under = [];
  }

  /** The first micro-batch after `done` that something is planned for. */
  nextAfter(done: number): number {
    const later = this.planned.flatMap(({ microBatch = -1 }) => (microBatch > done ? [microBatch] : []));
    return Math.min(...later, Number.POSITIVE_INFINITY);
  }

  /**
   * The fault of this micro-batch; it is taken off the plan. Of several, the others wait for the micro-batch to be run
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

/** Throws where no process of the run has that rank. */
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
