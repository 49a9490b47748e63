/**
 * The line-by-line difference between two scripts: the longest common subsequence stays, other lines are removed or
 * added. Pure. Called by script-diff.tsx.
 */

export interface DiffLine {
  readonly text: string;
  /** `same`: in both scripts; `out`: only in the first; `in`: only in the second. */
  readonly kind: 'same' | 'out' | 'in';
}

export function lineDiff(from: readonly string[], to: readonly string[]): readonly DiffLine[] {
  const common = commonLengths(from, to);
  const lengthAt = (i: number, k: number): number => common[i]?.[k] ?? 0;
  const lines: DiffLine[] = [];
  let [i, k] = [0, 0];
  while (i < from.length || k < to.length) {
    const [old, fresh] = [from[i], to[k]];
    if (old !== undefined && old === fresh) {
      lines.push({ text: old, kind: 'same' });
      i++;
      k++;
    } else if (old !== undefined && (fresh === undefined || lengthAt(i + 1, k) >= lengthAt(i, k + 1))) {
      lines.push({ text: old, kind: 'out' });
      i++;
    } else if (fresh !== undefined) {
      lines.push({ text: fresh, kind: 'in' });
      k++;
    }
  }
  return lines;
}

/** At [i][k]: length of the longest common subsequence of the lines from i on and from k on. */
function commonLengths(from: readonly string[], to: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: from.length + 1 }, () => Array.from({ length: to.length + 1 }, () => 0));
  for (let i = from.length - 1; i >= 0; i--)
    for (let k = to.length - 1; k >= 0; k--) {
      const [row = [], below = []] = [table[i], table[i + 1]];
      row[k] = from[i] === to[k] ? 1 + (below[k + 1] ?? 0) : Math.max(below[k] ?? 0, row[k + 1] ?? 0);
    }
  return table;
}

/** The changed lines with `around` lines before and after them; one line of dots stands for lines left out. */
export function nearChanges(lines: readonly DiffLine[], around: number): readonly DiffLine[] {
  const isNear = (place: number) =>
    lines.slice(Math.max(0, place - around), place + around + 1).some(({ kind }) => kind !== 'same');
  return lines.flatMap((line, place) => {
    if (isNear(place)) return [line];
    const indent = /^\s*/.exec(line.text)?.[0] ?? '';
    return place === 0 || isNear(place - 1) ? [{ text: `${indent}# ...`, kind: 'same' as const }] : [];
  });
}

/** The lines from the first that contains `from` to the next that contains `to`; by default all lines. */
export function partOf(lines: readonly DiffLine[], from = '', to?: string): readonly DiffLine[] {
  const start = lines.findIndex(({ text }) => text.includes(from));
  if (start < 0) throw new Error(`No line has "${from}".`);
  if (to === undefined) return lines.slice(start);
  const end = lines.findIndex(({ text }, place) => place >= start && text.includes(to));
  if (end < 0) throw new Error(`No line after "${from}" has "${to}".`);
  return lines.slice(start, end + 1);
}
