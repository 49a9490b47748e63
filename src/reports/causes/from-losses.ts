/** Causes that show in losses alone: what was logged, the order of rows, the number of ranks. */
import { relative } from '../bars';
import type { LossPair } from '../compare-losses';
import type { CauseRow } from './cause';
import { type Evidence, firstStep, proportional, settingWords, times, wholeFactor } from './evidence';

/** Losses closer than this count as equal. */
const SAME = 1e-5;
/** The least number of losses that prove anything. */
const LEAST = 3;

const partsAtOnce = ({ losses }: Evidence): boolean =>
  losses.parts !== undefined && losses.parts === partOfFirst(losses);
const partOfFirst = ({ parts, pairs }: Evidence['losses']) =>
  parts?.microBatch === pairs[0]?.microBatch ? parts : undefined;

const near = (x: number, y: number): boolean => relative(x, y, 1e-6) < SAME;
const varied = (values: readonly number[]): boolean => new Set(values.map((x) => x.toPrecision(4))).size > 1;

/** For training loops that log after the step, or count from 1. */
export const shifted: CauseRow = {
  id: 'shifted',
  from: 'numbers',
  says: 'The steps are counted differently: one side logs the loss a step later than the other.',
  test(evidence) {
    if (!partsAtOnce(evidence)) return undefined;
    const { pairs } = evidence.losses;
    const later = (first: (pair: LossPair) => number, second: (pair: LossPair) => number): boolean => {
      const rest = pairs.slice(1);
      return (
        rest.length >= LEAST &&
        varied(rest.map(first)) &&
        rest.every((pair, i) => near(first(pair), second(pairs[i] ?? pair)))
      );
    };
    const [a, b] = [(pair: LossPair) => pair.a, (pair: LossPair) => pair.b];
    if (later(a, b)) return 'Every loss of B is that of the next step in A.';
    return later(b, a) ? 'Every loss of A is that of the next step in B.' : undefined;
  },
};

export const loggedByOneRank: CauseRow = {
  id: 'one-rank',
  from: 'numbers',
  says: 'One side logs the loss of a single rank, the other the mean over all of them.',
  test({ losses: { pairs } }) {
    const of = (side: 'a' | 'b', ranks: 'ranksA' | 'ranksB', other: string, own: string): string | undefined => {
      const count = pairs[0]?.[ranks].length ?? 0;
      if (count < 2 || pairs.length < LEAST) return undefined;
      const rank = Array.from({ length: count }, (_, r) => r).find((r) =>
        pairs.every((pair) => near(pair[side], pair[ranks][r] ?? Number.NaN)),
      );
      return rank === undefined ? undefined : `Every loss of ${other} is that of rank ${rank} in ${own}.`;
    };
    return of('b', 'ranksA', 'B', 'A') ?? of('a', 'ranksB', 'A', 'B');
  },
};

/** If the trajectories are equal, only the printed numbers differ. */
export const loggedWithFactor: CauseRow = {
  id: 'logged-scale',
  from: 'numbers',
  says: 'The loss is scaled where it is logged, and the training is the same: as where it was divided by the accumulated micro-batches for backward().',
  test(evidence) {
    const { pairs } = evidence.losses;
    if (!partsAtOnce(evidence) || pairs.length < LEAST || !varied(pairs.map(({ a }) => a))) return undefined;
    const factor = (pairs[0]?.b ?? 0) / (pairs[0]?.a ?? 0);
    const same = pairs.every(({ a, b }) => relative(factor * a, b, 1e-6) < 1e-4);
    // Rounding alone gives a factor near 1.
    return same && Math.abs(factor - 1) > 1e-2
      ? `Every loss of B is ${times(factor)} times that of A, from the first step to the last.`
      : undefined;
  },
};

export const reduction: CauseRow = {
  id: 'reduction',
  from: 'numbers',
  says: "The loss is summed over the rows of a batch on one side and averaged on the other (reduction='sum' and 'mean').",
  test(evidence) {
    const [first] = evidence.losses.pairs;
    if (!first || !partsAtOnce(evidence)) return undefined;
    const factor = first.b / first.a;
    const whole = wholeFactor(factor);
    if (whole === undefined || factor <= 0) return undefined;
    const pair = firstStep(evidence);
    if (pair) {
      const of = (row: typeof pair.a) => [...row.gradients.values()].flatMap(({ values }) => values);
      const gradients = proportional(of(pair.a), of(pair.b));
      if (gradients.rest > 1e-2 || Math.abs(gradients.factor / factor - 1) > 1e-2) return undefined;
    }
    const also = pair ? ', and so are the gradients' : '';
    return `At the first step the loss of ${factor > 1 ? 'B' : 'A'} is ${whole} times the other${also}.${settingWords(evidence, ['loss.reduction'])}`;
  },
};

/** A sampler without set_epoch repeats the first epoch's order. */
export const setEpoch: CauseRow = {
  id: 'set-epoch',
  from: 'numbers',
  says: 'The order of rows differs from the second epoch on: sampler.set_epoch(epoch) is called on one side only, or the sides shuffle anew with different generators.',
  test(evidence) {
    const { pairs, parts, unit } = evidence.losses;
    // The weights before the step must agree; a single step proves that only with a history.
    if (!parts || evidence.parting?.stage !== 'losses') return undefined;
    const at = pairs.findIndex(({ microBatch }) => microBatch === parts.microBatch);
    if (at < 2 && evidence.history.steps.length === 0) return undefined;
    const [before, there] = [pairs[at - 1], pairs[at]];
    if (!before || !there || before.epoch < 0 || there.epoch <= before.epoch) return undefined;
    if (pairs.slice(0, at).some(({ epoch }) => epoch !== pairs[0]?.epoch)) return undefined;
    return `All ${at} losses of epoch ${before.epoch} agree, and the first ${unit} of epoch ${there.epoch} does not.${settingWords(evidence, ['ddp.setEpoch', 'shuffle'])}`;
  },
};

export const worldSize: CauseRow = {
  id: 'world-size',
  from: 'numbers',
  says: 'The runs have different numbers of ranks, and so other rows in a batch or in each part of it.',
  test(evidence) {
    const [first] = evidence.losses.pairs;
    if (!first || evidence.parting === undefined) return undefined;
    const [a, b] = [first.ranksA.length, first.ranksB.length];
    if (a === b || a === 0 || b === 0) return undefined;
    return `A has losses of ${a} ${a === 1 ? 'rank' : 'ranks'}, B of ${b}.${settingWords(evidence, ['worldSize', 'mesh', 'mode'])}`;
  },
};

export const someRanks: CauseRow = {
  id: 'some-ranks',
  from: 'numbers',
  says: 'Only some ranks do what they do on the other side: they began with weights of their own (rank 0 did not broadcast them), have a generator of their own, or take other rows (num_replicas or rank of the sampler).',
  test(evidence) {
    const [first] = evidence.losses.pairs;
    if (!first || !partsAtOnce(evidence) || first.ranksA.length < 2) return undefined;
    const { ranksA, ranksB } = first;
    if (ranksA.length !== ranksB.length) return undefined;
    const same = ranksA.flatMap((loss, rank) => (near(loss, ranksB[rank] ?? Number.NaN) ? [rank] : []));
    if (same.length === 0 || same.length === ranksA.length) return undefined;
    return `At the first step the losses of ${same.length === 1 ? 'rank' : 'ranks'} ${same.join(', ')} agree, those of the other ranks do not.${settingWords(evidence, ['ddp.initSync', 'ddp.rankSeeds', 'ddp.samplesPerRank'])}`;
  },
};
