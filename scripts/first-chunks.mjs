/**
 * How the built site is divided into files. Code that a page or a worker imports before it can begin is grouped by the
 * set of starting points that need it, one file per set. Otherwise Vite would make sixty files of a few hundred bytes;
 * now there are nineteen, and larger files compress better. Vite divides the code that is loaded later.
 */
import path from 'node:path';

/** The module with which a page, a worker or the first figure of a lesson begins, by the name of its files. */
const STARTS = {
  page: 'src/app/main.tsx',
  early: 'src/app/early.ts',
  session: 'src/session/worker.ts',
  rank: 'src/runtime/launch/rank-worker.ts',
  learn: 'src/lessons/live/main.ts',
  figure: 'src/lessons/live/figure/live-figure.tsx',
};

/** @typedef {(id: string) => {importedIds: readonly string[]} | null} GetModule */

/** All modules that a module imports before it runs. */
function needed(/** @type {string} */ start, /** @type {GetModule} */ moduleOf) {
  const found = new Set([start]);
  for (const id of found) for (const imported of moduleOf(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/**
 * All sets of starting points, the larger sets first: a file imports only from files of the same set or of larger sets.
 */
function setsOf(/** @type {readonly string[]} */ names) {
  /** @type {string[][]} */
  let sets = [[]];
  for (const name of names) sets = sets.flatMap((set) => [set, [...set, name]]);
  return sets.filter((set) => set.length > 0).sort((a, b) => b.length - a.length);
}

/** @returns {import('vite').Rolldown.CodeSplittingOptions} */
export function firstChunks() {
  /** @type {Map<string, ReadonlySet<string>> | undefined} */
  let reach;
  const starts = new Set(Object.values(STARTS).map((file) => path.resolve(file)));
  const startsOf = (/** @type {string} */ id, /** @type {GetModule} */ moduleOf) => {
    reach ??= new Map(Object.entries(STARTS).map(([name, file]) => [name, needed(path.resolve(file), moduleOf)]));
    // A starting point does its work when it is imported. In a file with other modules it would begin as soon as one of
    // these is needed.
    if (starts.has(id)) return [];
    const found = [...reach].filter(([, ids]) => ids.has(id)).map(([name]) => name);
    // Styles of a single starting point stay with it: a part that a lesson also needs must not load the playground's
    // styles.
    return found.length === 1 && id.endsWith('.css') ? [] : found;
  };
  return {
    groups: setsOf(Object.keys(STARTS)).map((set) => ({
      debugName: set.join('-'),
      name: (id, graph) =>
        startsOf(id, (other) => graph.getModuleInfo(other)).join() === set.join() ? `first-${set.join('-')}` : null,
    })),
  };
}
