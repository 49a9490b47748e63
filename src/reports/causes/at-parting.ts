/**
 * What causes that show in one step of the histories have in common: the step where gradients part first, though its
 * loss agrees, and the step where the optimizer parts first, though it had the same gradients.
 */
import type { HistoryPair } from '../compare-history';
import type { CauseRow } from './cause';
import type { Evidence } from './evidence';

/** What is left when a factor explains the rest. */
export const EXPLAINED = 1e-2;

export const pairAt = ({ history }: Evidence, step: number): HistoryPair | undefined =>
  history.steps.find((pair) => pair.step === step);

interface SeenAtParting extends Pick<CauseRow, 'id' | 'says'> {
  /** In what that step shows it; undefined: it does not. */
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

/** Asked of the step where gradients part first. */
export const gradientCause = causeAt('gradients');

/** Asked of the step where the optimizer parts first. */
export const updateCause = causeAt('parameters');
