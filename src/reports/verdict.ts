/** The verdict in a sentence: the same run, or where two runs first differ. Called by compare-reports.ts. */
import type { AnyReport } from './any-report';
import type { HistoryComparison } from './compare-history';
import type { LossComparison } from './compare-losses';
import type { TensorDifference, WeightsComparison } from './compare-weights';
import type { Parting } from './parting';

export interface Verdict {
  /** Whether the runs are equal; 'unknown': nothing could be compared. */
  readonly same: boolean | 'unknown';
  readonly sentence: string;
}

export interface Found {
  readonly a: AnyReport;
  readonly b: AnyReport;
  readonly losses: LossComparison;
  readonly history: HistoryComparison;
  readonly weights: WeightsComparison;
  readonly parting: Parting | undefined;
}

export function verdictOf(found: Found): Verdict {
  const { losses, parting, weights } = found;
  if (losses.count === 0) return { same: 'unknown', sentence: `There is nothing to compare: ${whyNothing(found)}.` };
  if (parting !== undefined) return { same: false, sentence: partingSentence(found, parting) };
  // Updates from gradients that are only rounding can go in any direction and do not change the losses, so they do not
  // count.
  const counted = weights.tensors.filter(({ name }) => !isBlind(name, found.history.rounding));
  const far = counted.filter((tensor) => tensor.apart > tensor.bar);
  const furthest = furthestOf(far);
  if (furthest) {
    const how = far.length === 1 ? 'one weight tensor differs' : `${far.length} weight tensors differ`;
    return {
      same: false,
      sentence: `Not the same run: ${agreement(losses)}, but ${how} at the end; ${furthest.name} differs most, by ${small(furthest.apart)} of its norm.`,
    };
  }
  if (weights.otherBits !== undefined && weights.otherBits > 0 && losses.worst?.relative === 0)
    return {
      same: true,
      sentence: `The same run as far as the reports say: ${agreement(losses)}, but ${weights.otherBits === 1 ? 'one final tensor differs' : `${weights.otherBits} final tensors differ`} in some bits.`,
    };
  return { same: true, sentence: `The same run: ${agreement(losses)}${alsoOf(losses, counted)}.` };
}

/** ', and so do 6 final tensors to 2.4e-7': follows agreement(). */
function alsoOf({ worst }: LossComparison, tensors: readonly TensorDifference[]): string {
  const most = furthestOf(tensors);
  if (!most) return '';
  const one = tensors.length === 1;
  const counted = `${tensors.length} final ${one ? 'tensor' : 'tensors'}`;
  const lossesAreEqual = !worst || worst.relative === 0;
  if (most.apart === 0)
    return lossesAreEqual
      ? `, and so ${one ? 'is' : 'are'} ${counted}`
      : `, and ${counted} ${one ? 'is' : 'are'} equal`;
  const to = `to ${small(most.apart)}`;
  return lossesAreEqual
    ? `, and ${counted} ${one ? 'agrees' : 'agree'} ${to}`
    : `, and so ${one ? 'does' : 'do'} ${counted} ${to}`;
}

/** Whether the losses do not depend on this tensor; a bias before BatchNorm also changes its running mean. */
const isBlind = (name: string, rounding: ReadonlySet<string>): boolean =>
  rounding.has(name) || (rounding.size > 0 && name.endsWith('.running_mean'));

function whyNothing({ a, b }: Found): string {
  const empty = [a, b].filter((report) => report.losses.length === 0).map(({ name }) => name);
  return empty.length > 0 ? `${empty.join(' and ')} has no losses` : 'the reports have no step in common';
}

function partingSentence({ a, b, losses }: Found, { step, stage, loss, tensor }: Parting): string {
  const micro =
    losses.unit === 'micro-batch' && loss ? `micro-batch ${loss.microBatch} (step ${step})` : `step ${step}`;
  const before = losses.pairs.filter((pair) => pair.step < step).length;
  const agreed =
    before === 0
      ? ''
      : before === 1
        ? ' The loss before agrees.'
        : ` The ${before.toLocaleString('en')} losses before agree.`;
  if (loss)
    return `The runs first differ at ${micro}: the loss is ${digits(loss.a)} in ${a.name} and ${digits(loss.b)} in ${b.name}.${agreed}`;
  const what =
    stage === 'gradients'
      ? 'the loss agrees, the gradients do not'
      : 'loss and gradients agree, the updated parameters do not';
  return `The runs first differ at step ${step}: ${what}${tensor ? ` (${tensor.name} differs most)` : ''}.${agreed}`;
}

/** '200 losses agree to 3e-7'. */
function agreement({ count, worst }: LossComparison): string {
  const one = count === 1;
  const compared = `${count.toLocaleString('en')} ${one ? 'loss' : 'losses'}`;
  if (!worst || worst.relative === 0) return `${compared} ${one ? 'is' : 'are'} equal`;
  return `${compared} ${one ? 'agrees' : 'agree'} to ${small(worst.relative)}`;
}

const furthestOf = (tensors: readonly TensorDifference[]): TensorDifference | undefined =>
  tensors.reduce<TensorDifference | undefined>(
    (most, each) => (most && most.apart >= each.apart ? most : each),
    undefined,
  );

/** '3e-7', '0.042'. */
export function small(value: number): string {
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return 'no finite number';
  if (value >= 1e-3 && value < 1e3) return String(Number(value.toPrecision(2)));
  return value.toExponential(1).replace('.0e', 'e').replace('e+', 'e');
}

/** As many digits as float32 has. */
export const digits = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(7))) : Number.isNaN(value) ? 'NaN' : String(value);
