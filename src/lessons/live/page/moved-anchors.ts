/**
 * Addresses of figures that have moved to another lesson: `pipelines.html#figure-halves` leads to the page that has the
 * figure now. People have linked to the old addresses, so a row here is never removed. Called once per page.
 */

/** By lesson and anchor: the page that has it now. */
export const MOVED: ReadonlyMap<string, string> = new Map([
  ['pipelines#figure-halves', 'pipeline-schedules.html#figure-halves'],
  ['pipelines#figure-loops', 'pipeline-schedules.html#figure-loops'],
]);

/** Undefined: the anchor is on the page itself, or nowhere. */
export const movedTo = (lesson: string, hash: string): string | undefined => MOVED.get(`${lesson}${hash}`);

/** Also for a link that is followed within the page. */
export function followMoved(page: Window, lesson: string): void {
  const follow = () => {
    const to = movedTo(lesson, page.location.hash);
    if (to !== undefined) page.location.replace(to);
  };
  page.addEventListener('hashchange', follow);
  follow();
}
