/** Causes that show in the first step whose parameters differ: how the optimizer used the gradients. */
import type { HistoryPair } from '../compare-history';
import { EXPLAINED, pairAt, updateCause } from './at-parting';
import type { CauseRow } from './cause';
import { type Evidence, explainedBy, minus, proportional, settingWords, times, vectors } from './evidence';

/** The parameters without a gradient to compare. */
const withoutGradients = ({ history }: Evidence, { a }: HistoryPair): ReadonlySet<string> =>
  new Set([...history.rounding, ...[...a.parameters.keys()].filter((name) => !a.gradients.has(name))]);

/** A step changes only a parameter's last digits, so updates are known roughly. */
const ROUGH = 3e-2;

export const learningRate = updateCause({
  id: 'learning-rate',
  says: 'The learning rate differs: its value, its schedule, or when scheduler.step() is called.',
  seen(pair, evidence) {
    const { rounding } = evidence.history;
    const settings = settingWords(evidence, ['optimizer.lr', 'scheduler', 'paramGroups']);
    const before = pairAt(evidence, pair.step - 1);
    const [a, b] = vectors(pair, 'parameters', rounding);
    if (before) {
      const [oldA, oldB] = vectors(before, 'parameters', rounding);
      const { factor, rest } = proportional(minus(a, oldA), minus(b, oldB));
      if (rest > EXPLAINED || Math.abs(factor - 1) < EXPLAINED) return undefined;
      return `The gradients of step ${pair.step} agree, and the updates differ by one factor: the update of B is ${times(factor)} times the update of A.${settings}`;
    }
    // A report lacks the parameters before the first step; if both are equal, they cancel in the difference.
    const [x, y] = vectors(pair, 'parameters', withoutGradients(evidence, pair));
    const [gradients] = vectors(pair, 'gradients', rounding);
    const apart = minus(x, y);
    if (apart.length !== gradients.length) return undefined;
    const plain = proportional(gradients, apart);
    const signs = proportional(gradients.map(Math.sign), apart);
    if (Math.min(plain.rest, signs.rest) > ROUGH) return undefined;
    const words =
      plain.rest <= signs.rest
        ? `by ${times(Math.abs(plain.factor))} times the gradient in every tensor: the learning rate of ${plain.factor < 0 ? 'A' : 'B'} is higher by this number`
        : `by ${times(Math.abs(signs.factor))} along the sign of the gradient, as with Adam if the learning rate of ${signs.factor < 0 ? 'A' : 'B'} is higher by this number`;
    return `The gradients of step ${pair.step} agree, and the parameters after it differ ${words}.${settings}`;
  },
});

export const weightDecay = updateCause({
  id: 'weight-decay',
  says: 'The weight decay differs.',
  seen(pair, evidence) {
    const names = withoutGradients(evidence, pair);
    const [a, b] = vectors(pair, 'parameters', names);
    const [gradients] = vectors(pair, 'gradients', evidence.history.rounding);
    if (a.length !== gradients.length) return undefined;
    // Decay applies to the parameters before the step: those after it, minus the gradient's update.
    const tries = [gradients, gradients.map(Math.sign)].map((step) => explainedBy(minus(b, a), [a, step]));
    const best = tries.find(({ rest }) => rest <= ROUGH);
    if (!best || !(Math.abs(best.factors[0]) > 0)) return undefined;
    const [factor] = best.factors;
    return `The gradients of step ${pair.step} agree, and after it every parameter of ${factor < 0 ? 'B' : 'A'} has lost ${times(Math.abs(factor))} of its value more.${settingWords(evidence, ['optimizer.weightDecay', 'optimizer.type', 'paramGroups'])}`;
  },
});

export const optimizer = updateCause({
  id: 'optimizer',
  says: 'The optimizer makes other updates from the same gradients: another optimizer, momentum, betas or eps, or parameters that were not passed to it.',
  seen(pair, evidence) {
    if (learningRate.test(evidence) !== undefined || weightDecay.test(evidence) !== undefined) return undefined;
    return `The losses and the gradients of step ${pair.step} agree, and the parameters after it do not.${settingWords(evidence, ['optimizer', 'scheduler', 'paramGroups'])}`;
  },
});

/** Used if a history is missing; two histories would show the cause. */
export const afterFirstStep: CauseRow = {
  id: 'first-update',
  from: 'numbers',
  says: 'The first step changed the weights differently: learning rate, scale or clipping of gradients, optimizer.',
  test(evidence) {
    const { losses, history, parting } = evidence;
    const first = losses.pairs[0];
    if (history.steps.length > 0 || !first || parting?.stage !== 'losses' || parting.step !== first.step + 1)
      return undefined;
    return `The first loss agrees, the second does not.${settingWords(evidence, ['optimizer', 'clipGradNorm', 'scheduler', 'ddp', 'loss'])} Reports with the first steps (--history 2 on both sides) show which of these it is.`;
  },
};
