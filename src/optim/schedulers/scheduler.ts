/**
 * The seam of the learning-rate schedules: a Scheduler changes the parameter groups it was made for, one step() at a
 * time, as a torch.optim.lr_scheduler does, in double precision and in its recursive form (a rate comes from the rate
 * before it), so that the numbers are torch's. schedule.ts drives it.
 */

/** What a schedule may change of a parameter group. */
export interface GroupRates {
  lr: number;
  /** The rate that the schedule starts from. */
  initialLr: number;
  /** SGD's and RMSprop's momentum, or beta1. */
  momentum: number;
}

export interface Scheduler {
  /** scheduler.step(). */
  step(): void;
  /** The initial step once more, from the groups' present rates. */
  restart(): void;
  /** Takes over from another schedule, from its own beginning: what SequentialLR calls as `scheduler.step(0)`. */
  takeOver(): void;
}

export interface Formula {
  /** The rate of a group at step n: from its rate at n - 1, or its initial one at 0. May set the momentum. */
  readonly rate: (group: GroupRates, base: number, n: number) => number;
  /** The rate at step 0 where the rates before were another schedule's: torch's closed form. Absent: as `rate`. */
  readonly closedForm?: (base: number) => number;
}

/** Makes the scheduler and takes its initial step, as torch's constructors do. */
export function schedulerOf(groups: readonly GroupRates[], { rate, closedForm }: Formula): Scheduler {
  const bases = groups.map((group) => group.initialLr);
  let n = 0;
  const apply = (of: (group: GroupRates, base: number) => number): void => {
    for (const [i, group] of groups.entries()) group.lr = of(group, bases[i] ?? group.initialLr);
  };
  apply((group, base) => rate(group, base, 0));
  return {
    step() {
      n += 1;
      apply((group, base) => rate(group, base, n));
    },
    restart() {
      n = 0;
      apply((group, base) => rate(group, base, 0));
    },
    takeOver() {
      n = 0;
      apply((group, base) => (closedForm ? closedForm(base) : rate(group, base, 0)));
    },
  };
}
