/**
 * The common part of causes that show in one step of the histories: the first step whose gradients differ although its
 * loss agrees, or the first step whose parameters differ although the gradients agree.
 */
import type { HistoryPair } from '../compare-history';
import type { CauseRow } from './cause';
import type { Evidence } from './evidence';

/** The remainder up to which a factor counts as the explanation. */
export const EXPLAINED = 1e-2;

export const pairAt = ({ history }: Evidence, step: number): HistoryPair | undefined =>
  history.steps.find((pair) => pair.step === step);

interface SeenAtParting extends Pick<CauseRow, 'id' | 'says'> {
  /** The evidence in that step; undefined if there is none. */
  readonly seen: (pair: HistoryPair, evidence: Evidence) => string | undefined;
}

const causeAt =
  (stage: 'gradients' | 'parameters') =>
  ({ id, says, seen }: SeenAtParting): CauseRow => ({
    id,
    from: 'numbers',
    says,
    test(evidence) {
      const { parting } = evidence;
      const pair = parting?.stage === stage ? pairAt(evidence, parting.step) : undefined;
      return pair && seen(pair, evidence);
    },
  });

/** Tests the first step whose gradients differ. */
export const gradientCause = causeAt('gradients');

/** Tests the first step whose parameters differ. */
export const updateCause = causeAt('parameters');
