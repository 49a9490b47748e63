/**
 * Addresses of figures that have moved to another lesson: `pipelines.html#figure-halves` leads to the page that now has
 * the figure. Links to the old addresses exist, so never remove a row. Called once per page.
 */

/** The new page of each figure, by lesson and anchor. */
export const MOVED: ReadonlyMap<string, string> = new Map([
  ['pipelines#figure-halves', 'pipeline-schedules.html#figure-halves'],
  ['pipelines#figure-loops', 'pipeline-schedules.html#figure-loops'],
]);

/** Undefined if the anchor has not moved. */
export const movedTo = (lesson: string, hash: string): string | undefined => MOVED.get(`${lesson}${hash}`);

/** Redirects at load, and when the reader follows a link within the page. */
export function followMoved(page: Window, lesson: string): void {
  const follow = () => {
    const to = movedTo(lesson, page.location.hash);
    if (to !== undefined) page.location.replace(to);
  };
  page.addEventListener('hashchange', follow);
  follow();
}
