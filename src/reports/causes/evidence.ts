/** The input of the causes' tests, and arithmetic that several of them share. */
import type { AnyReport, HistoryRow, Sample } from '../any-report';
import type { HistoryComparison, HistoryKind, HistoryPair } from '../compare-history';
import type { LossComparison } from '../compare-losses';
import type { SettingDifference } from '../compare-settings';
import type { WeightsComparison } from '../compare-weights';
import type { Parting } from '../parting';

export interface Evidence {
  readonly a: AnyReport;
  readonly b: AnyReport;
  readonly losses: LossComparison;
  readonly history: HistoryComparison;
  readonly weights: WeightsComparison;
  readonly settings: readonly SettingDifference[] | undefined;
  readonly parting: Parting | undefined;
}

/** The first step of both histories, if it is also the runs' first step. */
export function firstStep({ history, losses }: Evidence): HistoryPair | undefined {
  const [pair] = history.steps;
  return pair && pair.step === (losses.pairs[0]?.step ?? pair.step) ? pair : undefined;
}

/** All sampled elements of one kind, from tensors that both sides have, in the same order. */
export function vectors(
  { a, b }: HistoryPair,
  kind: HistoryKind,
  without: ReadonlySet<string> = new Set(),
): readonly [readonly number[], readonly number[]] {
  const names = [...a[kind].keys()].filter((name) => b[kind].has(name) && !without.has(name)).sort();
  const of = (row: HistoryRow): readonly number[] => names.flatMap((name) => row[kind].get(name)?.values ?? []);
  const [x, y] = [of(a), of(b)];
  return x.length === y.length ? [x, y] : [[], []];
}

const dot = (u: readonly number[], w: readonly number[]): number => u.reduce((sum, ui, i) => sum + ui * (w[i] ?? 0), 0);

/** The best factor in y = factor * x; `rest`: the unexplained part of y, from 0 (all explained) to 1. */
export function proportional(x: readonly number[], y: readonly number[]): { factor: number; rest: number } {
  const [xx, xy, yy] = [dot(x, x), dot(x, y), dot(y, y)];
  if (!(xx > 0) || !(yy > 0)) return { factor: Number.NaN, rest: 1 };
  return { factor: xy / xx, rest: Math.sqrt(Math.max(0, 1 - (xy * xy) / (xx * yy))) };
}

/** The part of y that no linear combination of the others explains. `factors`: one per other vector. */
export function explainedBy(
  y: readonly number[],
  [x1, x2]: readonly [readonly number[], readonly number[]],
): { readonly factors: readonly [number, number]; readonly rest: number } {
  const [a, b, c, p, q, yy] = [dot(x1, x1), dot(x1, x2), dot(x2, x2), dot(x1, y), dot(x2, y), dot(y, y)];
  const determinant = a * c - b * b;
  if (!(determinant > 1e-9 * a * c) || !(yy > 0)) return { factors: [Number.NaN, Number.NaN], rest: 1 };
  const [f1, f2] = [(c * p - b * q) / determinant, (a * q - b * p) / determinant];
  const rest = minus(
    y,
    x1.map((value, i) => f1 * value + f2 * (x2[i] ?? 0)),
  );
  return { factors: [f1, f2], rest: Math.sqrt(dot(rest, rest) / yy) };
}

export const minus = (x: readonly number[], y: readonly number[]): readonly number[] =>
  x.map((value, i) => value - (y[i] ?? 0));

/** ||a - b|| relative to the greater of both. */
export function relativeDistance(a: Pick<Sample, 'values'>, b: Pick<Sample, 'values'>): number {
  const length = (values: readonly number[]): number => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
  const most = Math.max(length(a.values), length(b.values));
  return most === 0 ? 0 : length(minus(a.values, b.values)) / most;
}

/** The norm of all gradients of a step, as clip_grad_norm_ computes it. */
export const totalNorm = ({ gradients }: HistoryRow): number =>
  Math.sqrt([...gradients.values()].reduce((sum, { norm }) => sum + norm * norm, 0));

/** '4', '0.25', '0.3333'. */
export const times = (factor: number): string => String(Number(factor.toPrecision(4)));

/** The whole number from 2 on that the factor or its inverse equals to four digits, if there is one. */
export function wholeFactor(factor: number): number | undefined {
  const greater = Math.abs(factor) >= 1 ? factor : 1 / factor;
  const whole = Math.round(greater);
  return whole >= 2 && Math.abs(greater - whole) < 1e-3 * whole ? whole : undefined;
}

/** Words for the values of these settings in both configurations, if they differ. */
export function settingWords({ settings }: Evidence, paths: readonly string[]): string {
  const found = (settings ?? []).filter(({ path }) => paths.some((own) => path === own || path.startsWith(`${own}.`)));
  if (found.length === 0) return '';
  const words = found.slice(0, 3).map(({ path, a, b }) => `${path} is ${said(a)} in A and ${said(b)} in B`);
  return ` The configurations say so: ${words.join('; ')}.`;
}

const said = (value: unknown): string => (value === undefined ? 'not in the report' : JSON.stringify(value));
