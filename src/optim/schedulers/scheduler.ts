/**
 * The interface of the learning-rate schedules: a Scheduler changes the parameter groups for which it was made, one
 * step() at a time, like a torch.optim.lr_scheduler, in double precision and recursively (each rate is computed from
 * the previous one), so that the numbers are torch's. schedule.ts drives it.
 */

/** The values of a parameter group that a schedule may change. */
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
  /** Repeats the initial step from the groups' current rates. */
  restart(): void;
  /** Takes over from another schedule and starts from its own beginning, like SequentialLR's `scheduler.step(0)`. */
  takeOver(): void;
}

export interface Formula {
  /** The rate of a group at step n: from its rate at n - 1, or its initial one at 0. May set the momentum. */
  readonly rate: (group: GroupRates, base: number, n: number) => number;
  /** The rate at step 0 after another schedule: torch's closed form. Absent: same as `rate`. */
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
