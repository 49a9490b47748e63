/**
 * What is to befall ranks in steps to come, by hand: a kill, a hang. It outlives the training that it befalls, so that the run which goes on after a restart does not meet
 * it again, and meets those that were meant for later. Filled by the session and the command line; emptied by training.ts as steps are asked for.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import type { Rank } from '../../protocol/trace';
import type { Fault } from '../../runtime/launch/world';

export interface PlannedFault {
  readonly what: Fault['what'];
  readonly rank: Rank;
  /** Absent: the next step. */
  readonly step?: number | undefined;
  /** Absent, or not one of the rank's in that step: its first. */
  readonly instruction?: number | undefined;
}

export class FaultPlan {
  private planned: PlannedFault[] = [];
  /** On their way with their steps. */
  private under: Fault[] = [];

  add(fault: PlannedFault): void {
    this.planned.push(fault);
  }

  clear(): void {
    this.planned = [];
    this.under = [];
  }

  /** After a failure: what has not come true, since an earlier step failed, is for the steps as they run again. */
  replan({ details }: LockstepError): void {
    const struck = details['fault'] as Fault | undefined;

    const again = this.under.filter(({ step, rank }) => step !== struck?.step || rank !== struck.rank);
    this.planned.unshift(...again);
    this.under = [];
  }

  /** The first step after `done` that something is planned for. */
  nextAfter(done: number): number {
    return Math.min(
      ...this.planned.map(({ step }) => (step !== undefined && step > done ? step : Number.POSITIVE_INFINITY)),
    );
  }

  /** What befalls this step; it is taken off the plan. Of several, the others wait for the step to be run again. */
  take(step: number, program: Program): Fault | undefined {
    const index = this.planned.findIndex((fault) => fault.step === undefined || fault.step === step);
    if (index < 0) return undefined;
    const [{ what, rank, instruction: wanted }] = this.planned.splice(index, 1) as [PlannedFault];
    const own = program.lanes.filter((lane) => lane.rank === rank).flatMap((lane) => lane.instructions);
    const instruction = own.find(({ id }) => id === wanted) ?? must(own[0], `an instruction of rank ${rank}`);
    const fault: Fault = { what, rank, step, instruction: instruction.id };
    this.under.push(fault);
    return fault;
  }
}

/** Throws where there is no such rank. */
export function checkRank(rank: Rank, rankOfDevice: readonly Rank[]): void {
  if (rankOfDevice.includes(rank)) return;
  const ranks = new Set(rankOfDevice).size;
  const only = ranks === 1 ? 'this run is one process: rank 0' : `ranks are 0 to ${ranks - 1}`;
  throw new LockstepError('config', `There is no rank ${rank}: ${only}.`, 'Choose one of the ranks of the run.', {
    rank,
  });
}
