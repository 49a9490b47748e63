/**
 * A refusal of a value as a clause with a subject: 'must be at most 64' of worldSize becomes 'worldSize must be at most
 * 64'. Other refusals name their subject. Called wherever a refusal is shown: links, panels, configurations.
 */
export const withSubject = (subject: string, problem: string): string =>
  /^(must|is) /.test(problem) ? `${subject} ${problem}` : problem;
