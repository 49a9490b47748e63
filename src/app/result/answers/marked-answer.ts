/** Splits an answer into right and wrong stretches, by comparing each character with the expected answer. Pure. */
export interface MarkedStretch {
  readonly text: string;
  readonly wrong: boolean;
  /** The index of the stretch's first character. */
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
