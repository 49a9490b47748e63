/**
 * Where a test runs. `npm test` runs the quick tier, `npm run test:all` everything. A test belongs to the quick tier
 * unless it is left for the rest, with a reason: what of the quick tier would fail, too, if the same thing broke. A
 * file without any quick test says so in its first comment (rest-files.mjs), and a quick run does not load it. The
 * modes that a test trains are tags as well, so that a run can tell whether the quick tier has every mode (tiers.mjs),
 * and so that `npx vitest run --tags-filter pipeline` runs all tests of that mode.
 */
import type { Mode } from '../src/protocol/config';

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test is left for `npm run test:all`. */
    rest?: string;
  }
  interface TestTags {
    tags: Mode | 'rest';
  }
}

export interface Place {
  /** The modes that the test trains. */
  readonly modes?: readonly Mode[] | undefined;
  /** Why the quick tier can do without this test. Absent: it is in the quick tier. */
  readonly rest?: string | undefined;
}

/** Options of a Vitest test, or of a describe with all tests in it. */
export const place = ({ modes = [], rest }: Place) => ({
  tags: [...modes, ...(rest === undefined ? [] : ['rest' as const])],
  ...(rest === undefined ? {} : { meta: { rest } }),
});

/** The same for a test of Playwright, whose tags begin with an @. */
export const placeInBrowser = (at: Place) => ({
  tag: place(at).tags.map((tag): `@${string}` => `@${tag}`),
  annotation: at.rest === undefined ? [] : [{ type: 'rest', description: at.rest }],
});
