/**
 * An answer cut into stretches that are right and stretches that are not, character by character against what is
 * expected. Pure.
 */
export interface MarkedStretch {
  readonly text: string;
  readonly wrong: boolean;
  /** Where it begins. */
  readonly place: number;
}

export function marked(expected: string, answer: string): readonly MarkedStretch[] {
  const asked = Array.from(expected);
  const stretches: MarkedStretch[] = [];
  for (const [place, text] of Array.from(answer).entries()) {
    const wrong = asked[place] !== text;
    const last = stretches.at(-1);
    if (last?.wrong === wrong) stretches[stretches.length - 1] = { ...last, text: last.text + text };
    else stretches.push({ text, wrong, place });
  }
  return stretches;
}
