/** Median and spread of the rounds of one figure; which ids the options choose. */

/** @param {readonly number[]} rounds @returns {import('./result.d.ts').Summary} */
export function summary(rounds) {
  const sorted = [...rounds].sort((a, b) => a - b);
  const [min = Number.NaN, max = Number.NaN] = [sorted[0], sorted.at(-1)];
  return { median: median(sorted), min, max, rounds };
}

/** @param {readonly number[]} sorted */
export function median(sorted) {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** No beginnings choose everything. @param {string} id @param {readonly string[]} beginnings */
export const chosen = (id, beginnings) => beginnings.length === 0 || beginnings.some((each) => id.startsWith(each));
