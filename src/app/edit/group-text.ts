/**
 * Parameter groups as the text of a field: "*.bias weightDecay 0; blocks.* lr 0.01". A group is a pattern and pairs of
 * a setting and its value. The schema checks the parsed groups. Pure.
 */
import type { Config } from '../../protocol/config';

const NONE = 'none';

export function printGroups(groups: unknown): string {
  const list = groups as Config['paramGroups'];
  if (list.length === 0) return NONE;
  return list
    .map(({ match, ...own }) =>
      [match, ...Object.entries(own).flatMap((pair) => (pair[1] === undefined ? [] : pair.join(' ')))].join(' '),
    )
    .join('; ');
}

/** Returns a text that is not such a list unchanged, so that the schema refuses it. */
export function parseGroups(text: string): unknown {
  if (text === '' || text === NONE) return [];
  const groups = text.split(';').map((part) => part.trim().split(/[\s,]+/));
  if (groups.some((words) => words.length % 2 === 0)) return text;
  return groups.map(([match, ...words]) =>
    Object.fromEntries([
      ['match', match],
      ...words.flatMap((name, i) => (i % 2 === 0 ? [[name, fromWord(words[i + 1])]] : [])),
    ]),
  );
}

const fromWord = (word: string | undefined): unknown => {
  if (word === 'true' || word === 'false') return word === 'true';
  return word === undefined || Number.isNaN(Number(word)) ? word : Number(word);
};
