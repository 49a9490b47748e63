/**
 * Compares parameters and gradients of the first steps of two reports, by the samples that both have: for every tensor
 * the worst difference and the first step that differs. A tensor whose gradient is only rounding is left out: an
 * adaptive optimizer turns rounding into full steps in any direction, and the loss does not depend on them. Called by
 * compare-reports.ts.
 */
import { firstFew } from '../base/brief';
import type { AnyReport, HistoryRow, Sample } from './any-report';
import { distance } from './compare-weights';
import { type Bar, GRADIENT_FACTOR, greatest } from './tolerances';

export type HistoryKind = 'parameters' | 'gradients';

export interface HistoryComparison {
  /** The compared steps. */
  readonly steps: readonly HistoryPair[];
  readonly tensors: readonly TensorHistory[];
  /** Tensors with elements whose gradient is rounding on both sides. */
  readonly rounding: ReadonlySet<string>;
  readonly notes: readonly string[];
}

export interface HistoryPair {
  readonly step: number;
  readonly a: HistoryRow;
  readonly b: HistoryRow;
}

export interface TensorHistory {
  readonly kind: HistoryKind;
  readonly name: string;
  readonly worst: { readonly step: number; readonly relative: number; readonly bar: number };
  /** The first step beyond the bar. */
  readonly parts: number | undefined;
}

const NOTHING: HistoryComparison = { steps: [], tensors: [], rounding: new Set(), notes: [] };

export function compareHistory(a: AnyReport, b: AnyReport, bar: Bar): HistoryComparison {
  if (!a.history?.length && !b.history?.length) return NOTHING;
  const ofB = new Map((b.history ?? []).map((row) => [row.step, row]));
  const steps = (a.history ?? []).flatMap((row): readonly HistoryPair[] => {
    const other = ofB.get(row.step);
    return other ? [{ step: row.step, a: row, b: other }] : [];
  });
  if (steps.length === 0) {
    const without = [a, b].filter(({ history }) => !history?.length).map(({ name }) => name);
    const why = without.length > 0 ? `none in ${without.join(' and ')}` : 'the reports have no step in common';
    return { ...NOTHING, notes: [`Parameters and gradients of single steps are not compared: ${why}.`] };
  }
  const tensors = (['parameters', 'gradients'] as const).flatMap((kind) =>
    [...stepsByName(steps, kind)].flatMap(([name, own]) => tensorHistory(own, kind, name, bar)),
  );
  return { steps, tensors, rounding: roundingOnly(steps), notes: onlyOne(steps) };
}

/** For every tensor, the steps in which both sides have it. */
function stepsByName(steps: readonly HistoryPair[], kind: HistoryKind): ReadonlyMap<string, readonly HistoryPair[]> {
  const found = new Map<string, HistoryPair[]>();
  for (const pair of steps)
    for (const name of pair.a[kind].keys()) {
      if (!pair.b[kind].has(name)) continue;
      const known = found.get(name);
      if (known) known.push(pair);
      else found.set(name, [pair]);
    }
  return found;
}

function onlyOne(steps: readonly HistoryPair[]): readonly string[] {
  const [first] = steps;
  if (!first) return [];
  return (['parameters', 'gradients'] as const).flatMap((kind) => {
    const lone = [...first.a[kind].keys(), ...first.b[kind].keys()].filter(
      (name) => !(first.a[kind].has(name) && first.b[kind].has(name)),
    );
    return lone.length === 0 ? [] : [`Only one report has ${kind} of ${firstFew(lone, 5)}.`];
  });
}

function tensorHistory(
  steps: readonly HistoryPair[],
  kind: HistoryKind,
  name: string,
  bar: Bar,
): readonly TensorHistory[] {
  const found = steps.flatMap(({ step, a, b }) => {
    const [one, two] = [a[kind].get(name), b[kind].get(name)];
    if (!one || !two || one.values.length !== two.values.length) return [];
    return [{ step, relative: apart(one, two), bar: barFor(kind, bar, step) }];
  });
  const [first, ...others] = found;
  if (!first) return [];
  const worst = others.reduce((most, each) => (each.relative > most.relative ? each : most), first);
  return [{ kind, name, worst, parts: found.find((each) => each.relative > each.bar)?.step }];
}

/** The bar for a step; its parameters are those after the step. */
export const barFor = (kind: HistoryKind, bar: Bar, step: number): number =>
  kind === 'gradients' ? GRADIENT_FACTOR * bar.at(step) : bar.at(step + 1);

/** The relative difference of the sampled elements, or of the norms over all elements, whichever is greater. */
export function apart(a: Sample, b: Sample): number {
  const finite = (values: readonly number[]): number =>
    values.reduce((sum, x) => (Number.isFinite(x) ? sum + x * x : sum), 0);
  const squares = a.values.reduce((sum, x, i) => sum + distance(x, b.values[i] ?? Number.NaN) ** 2, 0);
  const norm = distance(a.norm, b.norm) / Math.max(a.norm, b.norm);
  return Math.max(
    squares === 0 ? 0 : Math.sqrt(squares / Math.max(finite(a.values), finite(b.values))),
    // A report may leave norms out.
    Number.isFinite(norm) ? norm : 0,
  );
}

/** A gradient below this share of the step's gradients, or of its tensor, counts as rounding. */
const ROUNDING = 1e-5;

function roundingOnly(steps: readonly HistoryPair[]): ReadonlySet<string> {
  const found = new Set<string>();
  const [first] = steps;
  if (!first) return found;
  const all = greatest([...first.a.gradients.values()].map(({ norm }) => (Number.isFinite(norm) ? norm : 0)));
  for (const [name, one] of first.a.gradients) {
    const two = first.b.gradients.get(name);
    if (!two) continue;
    if (Math.max(one.norm, two.norm) < ROUNDING * all && one.norm > 0) found.add(name);
    const most = greatest([...one.values, ...two.values].map(Math.abs));
    const isNoise = (x: number, y: number): boolean => x !== y && Math.max(Math.abs(x), Math.abs(y)) < ROUNDING * most;
    if (one.values.some((x, i) => isNoise(x, two.values[i] ?? 0))) found.add(name);
  }
  return found;
}
