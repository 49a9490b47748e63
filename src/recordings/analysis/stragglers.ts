/**
 * Finds the ranks for which the others wait, how long, and what a late rank did meanwhile. A rank that is late at the
 * first collective of a step is also late at the others, so the first one gives the delay. Called by `analyse.ts`.
 */

import type { RecordedCollective, RecordedRank, Recording, RecordingRank } from '../recording';
import type { CollectiveFigures, RecordedStraggler, WaitMatrix } from '../recording-analysis';
import { firstFrom, SPAN_KINDS } from '../spans';
import { median } from '../traces/align-clocks';

export function waitMatrix(
  ranks: readonly RecordingRank[],
  collectives: readonly RecordedCollective[],
  figures: readonly CollectiveFigures[],
): WaitMatrix {
  const indexOf = new Map(ranks.map((rank, index) => [rank, index]));
  const us = ranks.map(() => ranks.map(() => 0));
  collectives.forEach(({ parts }, id) => {
    const { last, waitedUs = [] } = figures[id] ?? {};
    const column = last && indexOf.get(last.rank);
    if (column === undefined) return;
    parts.forEach(({ rank }, k) => {
      const row = us[indexOf.get(rank) ?? -1];
      if (row) row[column] = (row[column] ?? 0) + (waitedUs[k] ?? 0);
    });
  });
  return { ranks, us };
}

export function stragglers(recording: Recording, figures: readonly CollectiveFigures[]): readonly RecordedStraggler[] {
  const shared = recording.collectives.filter(({ id }) => figures[id]?.last !== undefined);
  const matrix = waitMatrix(
    recording.ranks.map(({ rank }) => rank),
    recording.collectives,
    figures,
  );
  const firsts = firstOfSteps(shared);
  const lastAt = byRank(shared, ({ id }) => lastOf(figures, id));
  const lateAt = byRank(firsts, ({ id }) => lastOf(figures, id));
  const sharedBy = byRank(shared, ({ parts }) => parts.map((part) => part.rank));
  const firstsBy = byRank(firsts, ({ parts }) => parts.map((part) => part.rank));
  const windows = windowsOf(recording);
  const found = recording.ranks.flatMap(({ rank }, column): RecordedStraggler[] => {
    const own = sharedBy.get(rank) ?? [];
    const last = lastAt.get(rank) ?? [];
    if (last.length === 0) return [];
    const late = lateAt.get(rank) ?? [];
    const byUs = (late.length > 0 ? late : last).map(({ id }) => figures[id]?.last?.byUs ?? 0);
    const causedUs = matrix.us.reduce((sum, row) => sum + (row[column] ?? 0), 0);
    const cause = causeOf(windows, rank, late);
    const steps = firstsBy.get(rank)?.length ?? 0;
    const counts = { last: last.length, of: own.length, lateSteps: late.length, steps };
    return [{ rank, ...counts, byUs: median(byUs), causedUs, cause }];
  });
  return found.sort((a, b) => b.causedUs - a.causedUs);
}

const lastOf = (figures: readonly CollectiveFigures[], id: number): readonly RecordingRank[] => {
  const last = figures[id]?.last;
  return last ? [last.rank] : [];
};

/** The collectives of each rank in `of`, each collective once. */
function byRank(
  collectives: readonly RecordedCollective[],
  of: (collective: RecordedCollective) => readonly RecordingRank[],
): ReadonlyMap<RecordingRank, readonly RecordedCollective[]> {
  const found = new Map<RecordingRank, RecordedCollective[]>();
  for (const collective of collectives)
    for (const rank of new Set(of(collective))) {
      const known = found.get(rank);
      if (known) known.push(collective);
      else found.set(rank, [collective]);
    }
  return found;
}

/** The marked steps of each rank, by number. */
type Windows = ReadonlyMap<
  RecordingRank,
  { readonly of: RecordedRank; readonly steps: ReadonlyMap<number, RecordedRank['steps'][number]> }
>;

const windowsOf = ({ ranks }: Recording): Windows =>
  new Map(
    ranks.map((of) => {
      const marked = of.steps.filter((step) => step.marked).map((step) => [step.step, step] as const);
      return [of.rank, { of, steps: new Map(marked) }];
    }),
  );

/** The first collective of each step and group; all collectives if no steps are marked. */
function firstOfSteps(collectives: readonly RecordedCollective[]): readonly RecordedCollective[] {
  const seen = new Set<string>();
  const texts = new Map<readonly RecordingRank[], string>();
  const textOf = (ranks: readonly RecordingRank[]): string => {
    const known = texts.get(ranks) ?? ranks.join(' ');
    texts.set(ranks, known);
    return known;
  };
  return collectives.filter(({ step, group, groupRanks, id }) => {
    const key = step === undefined ? `alone ${id}` : `${step} ${group} ${textOf(groupRanks)}`;
    return !seen.has(key) && seen.add(key);
  });
}

const CAUSES = new Set(
  ['loader', 'annotation', 'operator', 'kernel', 'copy'].map((kind) => SPAN_KINDS.indexOf(kind as never)),
);
/** Causes that explain a smaller part of the delay are not named. */
const LEAST_SHARE = 0.3;

/** The activity on which the rank spent more time than the others between the start of the step and its arrival. */
function causeOf(
  windows: Windows,
  rank: RecordingRank,
  late: readonly RecordedCollective[],
): RecordedStraggler['cause'] {
  if (late.length === 0) return undefined;
  const mine = new Map<string, number[]>();
  const others = new Map<string, number[]>();
  let [steps, otherSteps] = [0, 0];
  for (const { parts, step } of late) {
    for (const part of parts) {
      const { of, steps: marked } = windows.get(part.rank) ?? {};
      const window = step === undefined ? undefined : marked?.get(step);
      if (!of || !window) continue;
      const isMine = part.rank === rank;
      if (isMine) steps++;
      else otherSteps++;
      const target = isMine ? mine : others;
      for (const [name, us] of timeByName(of, window.startUs, part.startUs)) {
        const known = target.get(name);
        if (known) known.push(us);
        else target.set(name, [us]);
      }
    }
  }
  const excess = [...mine].map(([name, list]) => {
    return { name, us: medianOf(list, steps), othersUs: medianOf(others.get(name) ?? [], otherSteps) };
  });
  const [worst] = excess.sort((a, b) => b.us - b.othersUs - (a.us - a.othersUs));
  const delayUs = median(late.map(({ parts }) => lateness(parts, rank)));
  return worst && worst.us - worst.othersUs > LEAST_SHARE * delayUs ? worst : undefined;
}

/** The median of `count` values; values that are not listed are 0. */
const medianOf = (listed: readonly number[], count: number): number =>
  median([...listed, ...Array.from({ length: Math.max(0, count - listed.length) }, () => 0)]);

function lateness(parts: RecordedCollective['parts'], rank: RecordingRank): number {
  const others = parts.reduce(
    (last, part) => (part.rank === rank ? last : Math.max(last, part.startUs)),
    Number.NEGATIVE_INFINITY,
  );
  return (parts.find((part) => part.rank === rank)?.startUs ?? 0) - others;
}

/** Time in spans of each name that begin between two moments; a span inside one of its own name counts once. */
function timeByName({ lanes, strings }: RecordedRank, fromUs: number, toUs: number): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const ends = new Map<number, number>();
  for (const { spans, role } of lanes) {
    if (role === 'communication') continue;
    ends.clear();
    for (let k = firstFrom(spans, fromUs); k < spans.count; k++) {
      const start = spans.startUs[k] ?? 0;
      if (start >= toUs) break;
      const end = start + (spans.durUs[k] ?? 0);
      if (!CAUSES.has(spans.kind[k] ?? -1)) continue;
      const name = spans.name[k] ?? 0;
      const from = Math.max(start, ends.get(name) ?? 0);
      const us = Math.min(end, toUs) - from;
      if (us <= 0) continue;
      ends.set(name, Math.min(end, toUs));
      const text = strings[name] ?? '';
      sums.set(text, (sums.get(text) ?? 0) + us);
    }
  }
  return sums;
}
