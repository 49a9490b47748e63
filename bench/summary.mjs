/** Median and spread of the rounds of one figure, and the ids that the options select. */

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

/** Without beginnings all ids are selected. @param {string} id @param {readonly string[]} beginnings */
export const chosen = (id, beginnings) => beginnings.length === 0 || beginnings.some((each) => id.startsWith(each));

/** Selects nothing. */
export const NONE = 'none';

/** A word of --only or --contenders that selects nothing. The message names the ids. */
export class UnknownName extends Error {}

/**
 * @param {string} option
 * @param {readonly string[]} beginnings
 * @param {readonly string[]} ids
 */
export function checkNames(option, beginnings, ids) {
  const unknown = beginnings.find((each) => each !== NONE && !ids.some((id) => id.startsWith(each)));
  if (unknown !== undefined)
    throw new UnknownName(`--${option}: nothing begins with "${unknown}". The names are ${ids.join(', ')}.`);
}
