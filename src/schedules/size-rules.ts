/**
 * The sizes that a schedule supports: torch's rules, each with an error that says what to change. makeSchedule checks
 * them first, so that the makers of orders/ need not.
 */
import { LockstepError } from '../base/errors';
import type { ScheduleName } from '../protocol/pipeline';
import { roundsOf } from './orders/interleaved';
import type { ScheduleShape } from './orders/order-maker';

/** Limit of stages times micro-batches: far more than anyone reads, but still fast to make. */
export const MOST_FORWARDS = 65_536;

interface Rule {
  readonly isKept: (shape: ScheduleShape) => boolean;
  readonly says: (shape: ScheduleShape) => string;
  readonly wayOut: (shape: ScheduleShape) => string;
}

const oneStage: Rule = {
  isKept: ({ stagesPerRank }) => stagesPerRank === 1,
  says: ({ stagesPerRank }) => `takes exactly 1 stage per rank, not ${stagesPerRank}`,
  wayOut: () => 'For several stages per rank, choose LoopedBFS, Interleaved1F1B or InterleavedZeroBubble.',
};

const twoStages: Rule = {
  isKept: ({ stagesPerRank }) => stagesPerRank === 2,
  says: ({ stagesPerRank }) => `takes exactly 2 stages per rank, the two arms of its V, not ${stagesPerRank}`,
  wayOut: () => 'Set 2 stages per rank, or choose Interleaved1F1B or InterleavedZeroBubble.',
};

const enoughMicroBatches = (other: ScheduleName): Rule => ({
  isKept: (shape) => shape.microBatches >= stagesOf(shape),
  says: (shape) =>
    'needs at least as many micro-batches as stages, but there are ' +
    `${shape.microBatches} micro-batches and ${stagesOf(shape)} stages`,
  wayOut: (shape) => `Set at least ${stagesOf(shape)} micro-batches, or choose ${other}, which runs any number.`,
});

const wholeRounds: Rule = {
  isKept: (shape) => shape.microBatches % roundsOf(shape) === 0,
  says: (shape) =>
    `needs a number of micro-batches that is a multiple of its rounds: ${shape.microBatches} micro-batches on ` +
    `${shape.ranks} ranks make ${roundsOf(shape)} rounds`,
  wayOut: ({ ranks, microBatches }) => {
    const below = Math.floor(microBatches / ranks) * ranks;
    return `Set ${below} or ${below + ranks} micro-batches: a multiple of the ${ranks} ranks always fits.`;
  },
};

const RULES: Readonly<Record<ScheduleName, readonly Rule[]>> = {
  GPipe: [oneStage],
  '1F1B': [oneStage, enoughMicroBatches('GPipe')],
  LoopedBFS: [],
  Interleaved1F1B: [wholeRounds],
  InterleavedZeroBubble: [wholeRounds],
  ZBVZeroBubble: [twoStages],
  DualPipeV: [twoStages, enoughMicroBatches('ZBVZeroBubble')],
};

const stagesOf = ({ ranks, stagesPerRank }: ScheduleShape): number => ranks * stagesPerRank;

/** Throws a LockstepError of code 'schedule' if torch has no such schedule. */
export function checkSize(name: ScheduleName, shape: ScheduleShape): void {
  const refusal = refusalOf(name, shape);
  if (refusal) throw new LockstepError('schedule', refusal.message, refusal.hint, { schedule: name, ...shape });
}

/** Whether there is such a schedule. */
export const isSize = (name: ScheduleName, shape: ScheduleShape): boolean => refusalOf(name, shape) === undefined;

interface Refusal {
  readonly message: string;
  readonly hint: string;
}

function refusalOf(name: ScheduleName, shape: ScheduleShape): Refusal | undefined {
  for (const [what, size] of [
    ['ranks', shape.ranks],
    ['stages per rank', shape.stagesPerRank],
    ['micro-batches', shape.microBatches],
  ] as const) {
    if (!Number.isSafeInteger(size) || size < 1)
      return {
        message: `the number of ${what} must be a whole number of at least 1, not ${size}`,
        hint: `Set the number of ${what} to 1 or more.`,
      };
  }
  if (stagesOf(shape) * shape.microBatches > MOST_FORWARDS)
    return {
      message: `${stagesOf(shape)} stages and ${shape.microBatches} micro-batches are more than Lockstep can schedule`,
      hint: `Stages times micro-batches may be up to ${MOST_FORWARDS.toLocaleString('en')}.`,
    };
  const broken = RULES[name].find((rule) => !rule.isKept(shape));
  return broken && { message: `${name} ${broken.says(shape)}`, hint: broken.wayOut(shape) };
}
