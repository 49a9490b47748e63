/**
 * How the built site is cut into files: what a page or a worker imports before it can begin is one file for each set
 * of starts that need it, not one for each set of parts that might come later. Sixty files of a few hundred bytes
 * became nineteen, and what is compressed as one is smaller. Parts that come later are cut as Vite does.
 */
import path from 'node:path';

/** Where a page, a worker or the first figure of a lesson begins, by the name that its files get. */
const STARTS = {
  page: 'src/app/main.tsx',
  early: 'src/app/early.ts',
  session: 'src/session/worker.ts',
  rank: 'src/runtime/launch/rank-worker.ts',
  learn: 'src/lessons/live/main.ts',
  figure: 'src/lessons/live/figure/live-figure.tsx',
};

/** @typedef {(id: string) => {importedIds: readonly string[]} | null} GetModule */

/** Whatever a module imports before it runs. */
function needed(/** @type {string} */ start, /** @type {GetModule} */ moduleOf) {
  const found = new Set([start]);
  for (const id of found) for (const imported of moduleOf(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** All sets of starts, the larger first: what a file imports is in a file of the same set, or of a larger one. */
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
    // A start does its work when it is imported: in a file with others it would begin wherever one of them is needed.
    if (starts.has(id)) return [];
    const found = [...reach].filter(([, ids]) => ids.has(id)).map(([name]) => name);
    // Styles of one start stay with it: a part that a lesson needs, too, must not bring the playground's along.
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
