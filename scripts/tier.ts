/**
 * The tier of a test. `npm test` runs the quick tier, `npm run test:all` all tests. A test belongs to the quick tier
 * unless it is placed in the rest, with a reason: which test of the quick tier would also fail if the same code broke.
 * A file without any quick test says so in its first comment (rest-files.mjs), and a quick run does not load it. The
 * modes that a test trains are tags as well. So a run can check whether the quick tier has every mode (tiers.mjs), and
 * `npx vitest run --tags-filter pipeline` runs all tests of that mode.
 */
import type { Mode } from '../src/protocol/config';

declare module 'vitest' {
  interface TaskMeta {
    /** Why only `npm run test:all` runs the test. */
    rest?: string;
  }
  interface TestTags {
    tags: Mode | 'rest';
  }
}

export interface Place {
  /** The modes that the test trains. */
  readonly modes?: readonly Mode[] | undefined;
  /** Why the quick tier can do without this test. Absent: the test is in the quick tier. */
  readonly rest?: string | undefined;
}

/** Options of a Vitest test, or of a describe and all tests in it. */
export const place = ({ modes = [], rest }: Place) => ({
  tags: [...modes, ...(rest === undefined ? [] : ['rest' as const])],
  ...(rest === undefined ? {} : { meta: { rest } }),
});

/** The same for a Playwright test, whose tags begin with an @. */
export const placeInBrowser = (at: Place) => ({
  tag: place(at).tags.map((tag): `@${string}` => `@${tag}`),
  annotation: at.rest === undefined ? [] : [{ type: 'rest', description: at.rest }],
});
