/**
 * Searching lanes by words: "layer 4", "rank 2 backward", any part of a name. An event must match all words. Pure; each
 * timeline supplies the names of its spans.
 */

/** 'rank 2' counts as one word, and does not match 'rank 21'. */
const NUMBERED = /\b(rank|cuda|worker|layer|bucket|chunk|round|forward|backward)[ :]?(\d+)\b/g;

/** The names of a span, in the form that the matcher reads. */
export const searchable = (names: readonly (string | undefined)[]): string =>
  ` ${names.filter(Boolean).join(' | ').toLowerCase()} `.replaceAll(NUMBERED, '$1-$2');

const WHOLE_WORD = /-\d+$/;

/**
 * undefined if the query is empty. Each word must be the beginning of a word in the event's names; a numbered one must
 * match whole.
 */
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

/** How the matches of a search are placed relative to the selection. */
export interface SelectedMatch<Match> {
  is(match: Match): boolean;
  /** Whether a match comes earlier. */
  isBefore(match: Match): boolean;
}

/** The match after or before the selection; wraps around at the ends. `matches`: in order. */
export function nextMatch<Match>(
  matches: readonly Match[],
  selected: SelectedMatch<Match> | undefined,
  step: 1 | -1,
): Match | undefined {
  const place = selected ? matches.findIndex(selected.is) : -1;
  if (place >= 0) return matches[(place + step + matches.length) % matches.length];
  const next = (match: Match) => selected?.isBefore(match) === false;
  return step > 0
    ? (matches.find(next) ?? matches[0])
    : (matches.findLast((match) => selected?.isBefore(match)) ?? matches.at(-1));
}
