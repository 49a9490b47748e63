/**
 * The parts of a comparison besides its verdict, as tables of words: the terminal prints them (comparison-text.ts), the
 * page draws them. Pure.
 */
import { brief } from '../base/brief';
import type { LossComparison, LossDifference } from './compare-losses';
import type { ReportComparison } from './compare-reports';
import { shapeText } from './compare-weights';
import { digits, small } from './verdict';

export interface Section {
  readonly heading: string;
  /** A sentence before the table. */
  readonly lead?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/** The most rows for tensors, ranks or counts; below, the most for settings, which are short. */
const MOST = 40;
const MOST_SETTINGS = 200;
/** The longest name of a tensor or setting, because a column is as wide as its widest name. */
const LONGEST_NAME = 120;

const andMore = (count: number, most: number): readonly string[] =>
  count > most ? [`And ${(count - most).toLocaleString('en')} more.`] : [];

/** The sections that are not empty. */
export function sectionsOf(comparison: ReportComparison): readonly Section[] {
  return [
    settings(comparison),
    losses(comparison.losses),
    history(comparison),
    weights(comparison),
    figures(comparison),
  ].filter(({ rows, notes, lead }) => rows.length > 0 || notes.length > 0 || lead !== undefined);
}

function settings({ a, b, settings: found }: ReportComparison): Section {
  const section = { heading: 'Settings that differ', columns: ['setting', 'A', 'B'], rows: [], notes: [] };
  if (found === undefined) {
    const without = [a, b].filter(({ config }) => config === undefined).map(({ name }) => name);
    return { ...section, lead: `Not known: no configuration in ${without.join(' and ')}.` };
  }
  if (found.length === 0) return { ...section, lead: 'None.' };
  const rows = found
    .slice(0, MOST_SETTINGS)
    .map((each) => [brief(each.path, LONGEST_NAME), value(each.a), value(each.b)]);
  return { ...section, rows, notes: andMore(found.length, MOST_SETTINGS) };
}

const value = (setting: unknown): string =>
  setting === undefined ? 'not in the report' : brief(JSON.stringify(setting), 50);

function losses({ count, unit, worst, parts, perRank, onlyA, onlyB, notes }: LossComparison): Section {
  const at = (each: LossDifference): string =>
    unit === 'step' ? `step ${each.step}` : `micro-batch ${each.microBatch} (step ${each.step})`;
  const row = (what: string, each: LossDifference): readonly string[] => [
    what,
    at(each),
    digits(each.a),
    digits(each.b),
    small(each.relative),
    small(each.bar),
  ];
  const only =
    onlyA + onlyB === 0 ? '' : `; ${onlyA.toLocaleString('en')} only in A, ${onlyB.toLocaleString('en')} only in B`;
  return {
    heading: 'Losses',
    lead: `${count.toLocaleString('en')} compared${only}.`,
    columns: ['', 'at', 'A', 'B', 'relative difference', 'bar'],
    rows: [
      ...(worst ? [row('worst', worst)] : []),
      ...(parts ? [row('first beyond the bar', parts)] : []),
      ...perRank.slice(0, MOST).map((each) => row(`rank ${each.rank}, worst`, each)),
    ],
    notes: [...andMore(perRank.length, MOST), ...notes],
  };
}

function history({ history: { steps, tensors, rounding, notes } }: ReportComparison): Section {
  const sorted = [...tensors].sort(
    (x, y) => (x.parts ?? Number.MAX_VALUE) - (y.parts ?? Number.MAX_VALUE) || y.worst.relative - x.worst.relative,
  );
  return {
    heading: 'Parameters and gradients of the first steps',
    ...(steps.length === 0
      ? {}
      : { lead: `${steps.length.toLocaleString('en')} ${steps.length === 1 ? 'step' : 'steps'} compared.` }),
    columns: ['tensor', '', 'worst at', 'relative difference', 'bar'],
    rows: sorted
      .slice(0, MOST)
      .map(({ kind, name, worst, parts }) => [
        brief(kind === 'gradients' ? `${name}.grad` : name, LONGEST_NAME),
        rounding.has(name) ? 'its gradient is rounding' : parts === undefined ? 'agrees' : `parts at step ${parts}`,
        `step ${worst.step}`,
        small(worst.relative),
        small(worst.bar),
      ]),
    notes: [...more(tensors.length), ...notes],
  };
}

function weights({ weights: { tensors, notes } }: ReportComparison): Section {
  const sorted = [...tensors].sort((x, y) => y.apart / y.bar - x.apart / x.bar);
  return {
    heading: 'Final weights',
    columns: ['tensor', 'shape', 'difference by length', 'bar', 'worst element', 'A', 'B', 'absolute', 'relative'],
    rows: sorted
      .slice(0, MOST)
      .map((each) => [
        brief(each.name, LONGEST_NAME),
        shapeText(each.shape),
        small(each.apart),
        `${small(each.bar)}${each.apart > each.bar ? ', above it' : ''}`,
        String(each.index),
        digits(each.a),
        digits(each.b),
        small(each.absolute),
        small(each.relative),
      ]),
    notes: [...more(tensors.length), ...notes],
  };
}

const more = (count: number): readonly string[] =>
  count > MOST ? [`And ${count - MOST} more, which differ less.`] : [];

function figures({ figures: found }: ReportComparison): Section {
  return {
    heading: 'Side by side',
    columns: ['', 'A', 'B', 'what it is'],
    rows: found
      .slice(0, MOST)
      .map(({ what, a, b, meaning, same }) => [
        brief(what, LONGEST_NAME),
        a,
        b,
        `${same === false ? 'DIFFERENT; ' : ''}${meaning}`,
      ]),
    notes: andMore(found.length, MOST),
  };
}
