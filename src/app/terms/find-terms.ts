/** Finds the terms of the glossary in a text. Pure; the definitions come later (`stage-words.ts`). */
import type { TermId } from '../../protocol/words/glossary';

export interface TermPiece {
  readonly text: string;
  readonly term?: TermId;
}

/**
 * The terms as they appear in sentences; a plural is found by its singular. Longer terms come before terms that they
 * contain.
 */
const TERMS: readonly TermId[] = [
  'reduce-scatter',
  'all-gather',
  'all-reduce',
  'optimizer.step()',
  'DataLoader',
  'broadcast',
  'replicate',
  'scatter',
  'gather',
  'forward',
  'backward',
  'gradient',
  'activation',
  'replica',
  'bucket',
  'chunk',
  'round',
  'rank',
  'loss',
];

const PATTERN = new RegExp(
  `(?<![\\w.-])(${TERMS.map((term) => term.replace(/[.()]/g, '\\$&')).join('|')})(?:e?s)?(?![\\w-]|\\(|\\.\\w)`,
  'gi',
);

/** Finds each term once: skips the terms in `seen`, and adds the found ones to it. */
export function findTerms(text: string, seen: Set<TermId> = new Set()): readonly TermPiece[] {
  const pieces: TermPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(PATTERN)) {
    const [whole, found = ''] = match;
    const term = TERMS.find((name) => name.toLowerCase() === found.toLowerCase());
    if (term === undefined || seen.has(term)) continue;
    seen.add(term);
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: whole, term });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
