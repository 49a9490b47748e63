/** Causes that show in losses alone: what was logged, the order of rows, the number of ranks. */

import type { LossPair } from '../compare-losses';
import { relative } from '../tolerances';
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
    if (later(a, b)) return 'Every loss of B equals the loss of the next step in A.';
    return later(b, a) ? 'Every loss of A equals the loss of the next step in B.' : undefined;
  },
};

export const loggedByOneRank: CauseRow = {
  id: 'one-rank',
  from: 'numbers',
  says: 'One side logs the loss of a single rank, the other side the mean over all ranks.',
  test({ losses: { pairs } }) {
    const of = (side: 'a' | 'b', ranks: 'ranksA' | 'ranksB', other: string, own: string): string | undefined => {
      const count = pairs[0]?.[ranks].length ?? 0;
      if (count < 2 || pairs.length < LEAST) return undefined;
      const rank = Array.from({ length: count }, (_, r) => r).find((r) =>
        pairs.every((pair) => near(pair[side], pair[ranks][r] ?? Number.NaN)),
      );
      return rank === undefined ? undefined : `Every loss of ${other} equals the loss of rank ${rank} in ${own}.`;
    };
    return of('b', 'ranksA', 'B', 'A') ?? of('a', 'ranksB', 'A', 'B');
  },
};

/** If the trajectories are equal, only the printed numbers differ. */
export const loggedWithFactor: CauseRow = {
  id: 'logged-scale',
  from: 'numbers',
  says: 'Only the logged loss is scaled, and the training is the same. For example, one side logs the loss after dividing it by the number of accumulated micro-batches.',
  test(evidence) {
    const { pairs } = evidence.losses;
    if (!partsAtOnce(evidence) || pairs.length < LEAST || !varied(pairs.map(({ a }) => a))) return undefined;
    const factor = (pairs[0]?.b ?? 0) / (pairs[0]?.a ?? 0);
    const same = pairs.every(({ a, b }) => relative(factor * a, b, 1e-6) < 1e-4);
    // Rounding alone gives a factor near 1.
    return same && Math.abs(factor - 1) > 1e-2
      ? `Every loss of B is ${times(factor)} times the loss of A, from the first step to the last.`
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
    return `At the first step the loss of ${factor > 1 ? 'B' : 'A'} is ${whole} times as large${also}.${settingWords(evidence, ['loss.reduction'])}`;
  },
};

/** A sampler without set_epoch repeats the first epoch's order. */
export const setEpoch: CauseRow = {
  id: 'set-epoch',
  from: 'numbers',
  says: 'The order of rows differs from the second epoch on: sampler.set_epoch(epoch) is called on one side only, or the two sides shuffle again with different generators.',
  test(evidence) {
    const { pairs, parts } = evidence.losses;
    // The weights before the step must agree; a single step proves that only with a history.
    if (!parts || evidence.parting?.stage !== 'losses') return undefined;
    const at = pairs.findIndex(({ microBatch }) => microBatch === parts.microBatch);
    if (at < 2 && evidence.history.steps.length === 0) return undefined;
    const [before, there] = [pairs[at - 1], pairs[at]];
    if (!before || !there || before.epoch < 0 || there.epoch <= before.epoch) return undefined;
    if (pairs.slice(0, at).some(({ epoch }) => epoch !== pairs[0]?.epoch)) return undefined;
    return `All ${at} losses of epoch ${before.epoch} agree, and the first loss of epoch ${there.epoch} differs.${settingWords(evidence, ['ddp.setEpoch', 'shuffle'])}`;
  },
};

export const worldSize: CauseRow = {
  id: 'world-size',
  from: 'numbers',
  says: 'The runs have different numbers of ranks, so a batch, or the part of a rank, has other rows.',
  test(evidence) {
    const [first] = evidence.losses.pairs;
    if (!first || evidence.parting === undefined) return undefined;
    const [a, b] = [first.ranksA.length, first.ranksB.length];
    if (a === b || a === 0 || b === 0) return undefined;
    return `A has the losses of ${a} ${a === 1 ? 'rank' : 'ranks'}, B the losses of ${b}.${settingWords(evidence, ['worldSize', 'mesh', 'mode'])}`;
  },
};

export const someRanks: CauseRow = {
  id: 'some-ranks',
  from: 'numbers',
  says: 'Only some ranks compute the same on both sides. The others began with other weights (rank 0 did not broadcast), draw from another generator, or read other rows (num_replicas or rank of the sampler).',
  test(evidence) {
    const [first] = evidence.losses.pairs;
    if (!first || !partsAtOnce(evidence) || first.ranksA.length < 2) return undefined;
    const { ranksA, ranksB } = first;
    if (ranksA.length !== ranksB.length) return undefined;
    const same = ranksA.flatMap((loss, rank) => (near(loss, ranksB[rank] ?? Number.NaN) ? [rank] : []));
    if (same.length === 0 || same.length === ranksA.length) return undefined;
    return `At the first step the losses of ${same.length === 1 ? 'rank' : 'ranks'} ${same.join(', ')} agree, the losses of the other ranks do not.${settingWords(evidence, ['ddp.initSync', 'ddp.rankSeeds', 'ddp.samplesPerRank'])}`;
  },
};
