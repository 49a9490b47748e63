/** Runs of consecutive indices, and how torch.chunk cuts them. Used for pieces of tensors. */

export interface Range {
  readonly start: number;
  readonly length: number;
}

export const total = (ranges: readonly Range[]): number => ranges.reduce((n, { length }) => n + length, 0);

/** Part `index` of torch.chunk(n, count): ceil(n / count) elements, the last parts fewer or none. */
export function chunkRange(n: number, index: number, count: number): Range {
  const size = Math.ceil(n / count);
  const start = Math.min(n, index * size);
  return { start, length: Math.min(size, n - start) };
}

/** The elements of `ranges` at the positions `within`; adjacent ranges are merged. */
export function pick(ranges: readonly Range[], within: Range): readonly Range[] {
  const end = within.start + within.length;
  let before = 0;
  const picked = ranges.flatMap(({ start, length }) => {
    const from = Math.max(within.start - before, 0);
    const to = Math.min(end - before, length);
    before += length;
    return to > from ? [{ start: start + from, length: to - from }] : [];
  });
  return joined(picked);
}

/** The same elements in the same order, in as few ranges as possible. */
export function joined(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    if (last && last.start + last.length === range.start)
      result[result.length - 1] = { start: last.start, length: last.length + range.length };
    else if (range.length > 0) result.push(range);
  }
  return result;
}
