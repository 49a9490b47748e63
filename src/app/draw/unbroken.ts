/** A text whose formulas stay in one line each: "2(N-1)/N × S" is wrapped before or after, never inside. */
export const unbroken = (text: string): string =>
  text
    // A minus sign is no place for a new line, a hyphen is one.
    .replace(/-(?=\d)/g, '−')
    .replace(/(?<=[)\w])\/(?=\w)/g, '/\u2060')
    .replace(/ ?[×=] ?| \/ |(?<=\d) (?=[(B]|[KMG]iB)/g, (space) => space.replaceAll(' ', '\u00a0'));
