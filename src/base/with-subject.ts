/**
 * A refusal of a value as a clause with a subject: 'must be at most 64' of worldSize becomes 'worldSize must be at most
 * 64'. Other refusals name their subject. Called by the notices of links and by the fields of panels.
 */
export const withSubject = (subject: string, problem: string): string =>
  /^(must|is) /.test(problem) ? `${subject} ${problem}` : problem;
