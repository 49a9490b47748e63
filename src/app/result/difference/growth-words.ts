/**
 * The verdict from the two curves, in words. If the run and the control, in which nothing is parallel, are about
 * equally far from one device, rounding is the cause; if the run is much further away, something else is. The verdict
 * uses early steps, because training amplifies any difference until both are as large as the weights. Pure.
 */
import type { DifferenceAt } from '../../../protocol/snapshot';
import { HEADLINE_STEPS } from '../../../training/control/compared-steps';
import { formatCount, formatSmall } from '../../draw/format';

/**
 * The run may differ this many times more than the control and still be explained by rounding: the run rounds in every
 * step, the control once, and sums of many terms differ by several units. Other causes give thousands.
 */
const ALIKE = 100;

/** Above this value the control proves little, because both differences then grow to the size of the weights. */
const GROWN = 1e-3;

export interface Judged {
  /** masked: rounding alone has grown so large that another cause would not show. */
  readonly verdict: 'none' | 'rounding' | 'other' | 'masked' | 'open';
  readonly text: string;
}

export interface StepPair {
  readonly step: number;
  readonly own: number;
  readonly control: number;
}

/** The steps for which both have a value, oldest first. */
export function pairsOf(own: readonly DifferenceAt[], control: readonly DifferenceAt[]): readonly StepPair[] {
  const known = new Map(control.map(({ step, value }) => [step, value]));
  return own.flatMap(({ step, value }) => {
    const other = known.get(step);
    return other === undefined ? [] : [{ step, own: value, control: other }];
  });
}

/** `cause`: the cause of a difference that follows from the settings, if there is one. */
export function judge(
  own: readonly DifferenceAt[],
  control: readonly DifferenceAt[],
  cause: string | undefined,
): Judged {
  const start = own[0]?.step ?? 0;
  if (own.length > 1 && own.every(({ value }) => value === 0))
    return {
      verdict: 'none',
      text: 'No difference at any step: this mode does the same operations in the same order as one device.',
    };
  const pairs = pairsOf(own, control).filter(({ step }) => step > start);
  const first = pairs.filter(({ step }) => step <= start + HEADLINE_STEPS);
  const early = first.findLast((pair) => pair.control < GROWN) ?? first[0];
  if (!early) return { verdict: 'open', text: 'Take a step or press Play: the control then trains beside the run.' };
  const after = (step: number) => `After ${count(step - start)}`;
  const far = `${after(early.step)} the run is ${formatSmall(early.own)} away from one device and the control ${formatSmall(early.control)}`;
  const named = cause ? `The settings explain it: ${cause}.` : 'No setting explains it.';
  const ratio = early.own / Math.max(early.control, Number.MIN_VALUE);
  if (ratio > ALIKE || !Number.isFinite(early.own))
    return {
      verdict: 'other',
      text: `${far}${Number.isFinite(ratio) ? `, ${formatCount(Number(ratio.toPrecision(2)))} times less` : ''}: rounding is not the cause of the difference. ${named}`,
    };
  if (early.control >= GROWN)
    return {
      verdict: 'masked',
      text: `${far}: here training amplifies one unit in the last place that far at once (Adam does, where a gradient is nothing but rounding), so a difference with another cause would not show. ${named}`,
    };
  const late = pairs.at(-1);
  const grown =
    late && late.step > early.step
      ? ` ${after(late.step)} the differences are ${formatSmall(late.own)} and ${formatSmall(late.control)}: training amplifies both alike.`
      : '';
  return {
    verdict: 'rounding',
    text: `${far}: nothing is parallel in the control, so rounding alone explains the difference.${grown}`,
  };
}

const count = (steps: number): string => `${formatCount(steps)} ${steps === 1 ? 'step' : 'steps'}`;
