/**
 * Compares two reports of what should be the same run: settings, losses, steps, weights, figures. Gives a verdict
 * (verdict.ts) and likely causes (causes/); prints nothing. Called by `lockstep compare` and by the page.
 */
import type { AnyReport } from './any-report';
import type { Cause } from './causes/cause';
import { causesOf } from './causes/causes';
import { type ComparedFigure, compareFigures } from './compare-figures';
import { compareHistory, type HistoryComparison } from './compare-history';
import { compareLosses, type LossComparison } from './compare-losses';
import { compareSettings, type SettingDifference } from './compare-settings';
import { compareWeights, type WeightsComparison } from './compare-weights';
import { type Parting, partingOf } from './parting';
import { type Bar, fixedBar, GROWING_BAR } from './tolerances';
import { type Verdict, verdictOf } from './verdict';

export interface ReportComparison {
  readonly a: AnyReport;
  readonly b: AnyReport;
  /** Undefined if a side has no configuration. */
  readonly settings: readonly SettingDifference[] | undefined;
  readonly bar: Bar;
  readonly losses: LossComparison;
  readonly history: HistoryComparison;
  readonly weights: WeightsComparison;
  readonly figures: readonly ComparedFigure[];
  /** Undefined if losses and first steps agree. */
  readonly parting: Parting | undefined;
  readonly verdict: Verdict;
  /** Likely causes; none if the runs are equal. */
  readonly causes: readonly Cause[];
}

/** `bar`: the relative difference allowed for the same run, instead of the one that grows with the steps. */
export function compareReports(
  a: AnyReport,
  b: AnyReport,
  { bar: given }: { readonly bar?: number } = {},
): ReportComparison {
  const bar = given === undefined ? GROWING_BAR : fixedBar(given);
  const losses = compareLosses(a, b, bar);
  const history = compareHistory(a, b, bar);
  const steps = 1 + (losses.pairs.at(-1)?.step ?? 0);
  const found = {
    a,
    b,
    settings: compareSettings(a, b),
    losses,
    history,
    weights: compareWeights(a, b, bar, steps),
    parting: partingOf(losses, history),
  };
  const verdict = verdictOf(found);
  return {
    ...found,
    bar,
    figures: compareFigures(a, b),
    verdict,
    causes: verdict.same === false ? causesOf(found) : [],
  };
}
