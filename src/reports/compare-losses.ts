/** Losses of two reports side by side: by micro-batch if both have them, else by step. Called by compare-reports.ts. */
import type { AnyReport, LossRow } from './any-report';
import { type Bar, LEAST_LOSS, relative } from './tolerances';

export interface LossComparison {
  /** The number of compared pairs. */
  readonly count: number;
  /** 'micro-batch' if steps have several. */
  readonly unit: 'step' | 'micro-batch';
  readonly worst: LossDifference | undefined;
  /** The first pair that differs by more than the bar. */
  readonly parts: LossDifference | undefined;
  readonly perRank: readonly RankDifference[];
  /** The numbers of losses that only one side has. */
  readonly onlyA: number;
  readonly onlyB: number;
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
  readonly pairs: readonly LossPair[];
}

export interface LossPair {
  readonly step: number;
  readonly microBatch: number;
  /** The epoch, from the side that has it; -1: neither has. */
  readonly epoch: number;
  readonly a: number;
  readonly b: number;
  readonly ranksA: readonly number[];
  readonly ranksB: readonly number[];
}

export interface LossDifference {
  readonly step: number;
  readonly microBatch: number;
  readonly a: number;
  readonly b: number;
  readonly relative: number;
  readonly bar: number;
}

export interface RankDifference extends LossDifference {
  readonly rank: number;
}

export function compareLosses(a: AnyReport, b: AnyReport, bar: Bar): LossComparison {
  const notes: string[] = [];
  const [rowsA, rowsB] = alike(a, b, notes);
  const ofB = new Map(rowsB.map((row) => [row.microBatch, row]));
  const pairs = rowsA.flatMap((row): readonly LossPair[] => {
    const other = ofB.get(row.microBatch);
    return other === undefined ? [] : [pairOf(row, other)];
  });
  const differences = pairs.map((pair) => difference(pair, pair.a, pair.b, bar));
  const unit = [...rowsA, ...rowsB].some(({ step, microBatch }) => step !== microBatch) ? 'micro-batch' : 'step';
  return {
    count: pairs.length,
    unit,
    worst: worstOf(differences),
    parts: differences.find((each) => each.relative > each.bar),
    perRank: perRank(pairs, bar, notes),
    onlyA: rowsA.length - pairs.length,
    onlyB: rowsB.length - pairs.length,
    notes,
    pairs,
  };
}

const pairOf = (a: LossRow, b: LossRow): LossPair => ({
  step: a.step,
  microBatch: a.microBatch,
  epoch: Math.max(a.epoch, b.epoch),
  a: a.loss,
  b: b.loss,
  ranksA: a.perRank,
  ranksB: b.perRank,
});

const difference = (pair: LossPair, a: number, b: number, bar: Bar): LossDifference => ({
  step: pair.step,
  microBatch: pair.microBatch,
  a,
  b,
  relative: relative(a, b, LEAST_LOSS),
  bar: bar.at(pair.step),
});

const worstOf = <T extends LossDifference>(all: readonly T[]): T | undefined =>
  all.reduce<T | undefined>((worst, each) => (worst && worst.relative >= each.relative ? worst : each), undefined);

/** If one side has losses per micro-batch and the other per step, averages them over each step. */
function alike(a: AnyReport, b: AnyReport, notes: string[]): readonly [readonly LossRow[], readonly LossRow[]] {
  const [accumulateA, accumulateB] = [groupOf(a), groupOf(b)];
  // A plain list as long as the other's micro-batches has one loss per micro-batch.
  if (accumulateA === accumulateB || a.losses.length === b.losses.length) return [a.losses, b.losses];
  const averaged = (report: AnyReport, group: number): readonly LossRow[] => {
    if (group > 1) notes.push(`${report.name} has ${group} losses for each step; their mean is compared.`);
    return group > 1 ? perStep(report.losses) : report.losses;
  };
  return [averaged(a, accumulateA), averaged(b, accumulateB)];
}

/** The number of losses per step, counted in the first step. */
const groupOf = ({ losses }: AnyReport): number => losses.filter(({ step }) => step === losses[0]?.step).length;

function perStep(rows: readonly LossRow[]): readonly LossRow[] {
  const groups = new Map<number, LossRow[]>();
  for (const row of rows) {
    const known = groups.get(row.step);
    if (known) known.push(row);
    else groups.set(row.step, [row]);
  }
  return [...groups].map(([step, own]) => ({
    step,
    microBatch: step,
    epoch: own[0]?.epoch ?? -1,
    loss: mean(own.map(({ loss }) => loss)),
    perRank: (own[0]?.perRank ?? []).map((_, rank) => mean(own.map((row) => row.perRank[rank] ?? Number.NaN))),
  }));
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Each rank's worst difference. A rank without a batch has NaN on both sides, which counts as equal. */
function perRank(pairs: readonly LossPair[], bar: Bar, notes: string[]): readonly RankDifference[] {
  const most = (side: 'ranksA' | 'ranksB'): number =>
    pairs.reduce((count, pair) => Math.max(count, pair[side].length), 0);
  const [ofA, ofB] = [most('ranksA'), most('ranksB')];
  if (ofA === 0 || ofB === 0) return [];
  if (ofA !== ofB) {
    notes.push(`Losses of single ranks are not compared: A has ${ofA} of them, B ${ofB}.`);
    return [];
  }
  const worst: (LossDifference | undefined)[] = [];
  for (const pair of pairs) {
    // A pair without losses of single ranks adds nothing, so the work is that of the losses that are there.
    for (let rank = 0; rank < Math.max(pair.ranksA.length, pair.ranksB.length); rank++) {
      const found = difference(pair, pair.ranksA[rank] ?? Number.NaN, pair.ranksB[rank] ?? Number.NaN, bar);
      const known = worst[rank];
      if (known === undefined || found.relative > known.relative) worst[rank] = found;
    }
  }
  return worst.flatMap((of, rank) => (of === undefined ? [] : [{ ...of, rank }]));
}
