/**
 * Searching lanes by words: "layer 4", "rank 2 backward", any part of a name. Words are joined by "and". Pure; each
 * timeline says which names its spans have.
 */

/** 'rank 2' is one thing, and 'rank 2' is not 'rank 21'. */
const NUMBERED = /\b(rank|cuda|worker|layer|bucket|chunk|round|forward|backward)[ :]?(\d+)\b/g;

/** What a span is called, as the matcher reads it. */
export const searchable = (names: readonly (string | undefined)[]): string =>
  ` ${names.filter(Boolean).join(' | ').toLowerCase()} `.replaceAll(NUMBERED, '$1-$2');

const WHOLE_WORD = /-\d+$/;

/** undefined: nothing is asked for. Each word begins a word of the event's names; a numbered one is a whole one. */
export function wordsMatcher(query: string): ((names: string) => boolean) | undefined {
  const words = query.toLowerCase().replaceAll(NUMBERED, '$1-$2').split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const escaped = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const patterns = words.map((word) => {
    const numbered = WHOLE_WORD.test(word) || /^\d+$/.test(word);
    return new RegExp(`(?<![a-z0-9])${escaped(word)}${numbered ? '(?![0-9])' : ''}`);
  });
  return (names) => patterns.every((pattern) => pattern.test(names));
}

/** The match after, or before, a place; from the end it goes on at the beginning. */
export function nextMatch(matches: readonly number[], from: number | undefined, step: 1 | -1): number | undefined {
  if (from === undefined) return step > 0 ? matches[0] : matches.at(-1);
  return step > 0
    ? (matches.find((m) => m > from) ?? matches[0])
    : (matches.findLast((m) => m < from) ?? matches.at(-1));
}
