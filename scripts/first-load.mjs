/**
 * Lists the files of the built site that are loaded until Play can be pressed on the default run, read from dist/
 * itself: the page with its styles, the session's worker, everything that these import, and the parts that a default
 * run loads with import(). .size-limit.mjs limits the sum of their sizes; e2e/first-load.spec.ts compares the list with
 * the files that a browser loads.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Modules that the default run loads by import(), by the names of their chunks. */
/** @type {readonly string[]} */
const PARTS_OF_PAGE = [];
/** @type {readonly string[]} */
const PARTS_OF_WORKER = [];

const STATIC_IMPORT = /(?:\bimport|\bfrom)\s*["']\.\/([^"']+)["']/g;

/** @param {string} dist @returns {{page: string[], workers: string[]}} paths inside dist */
export function firstLoad(dist) {
  const assets = readdirSync(path.join(dist, 'assets'));
  // A chunk's name ends with a hyphen and eight letters of its hash.
  const named = (/** @type {string} */ name, /** @type {string} */ extension) =>
    assets.filter((file) => file.startsWith(`${name}-`) && file.slice(name.length + 9) === `.${extension}`);
  const closure = (/** @type {readonly string[]} */ roots) => {
    const found = new Set(roots);
    for (const file of found) {
      if (!file.endsWith('.js')) continue;
      const code = readFileSync(path.join(dist, 'assets', file), 'utf8');
      for (const [, imported = ''] of code.matchAll(STATIC_IMPORT)) found.add(imported);
    }
    return [...found];
  };
  const html = readFileSync(path.join(dist, 'index.html'), 'utf8');
  const linked = [...html.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(([, file = '']) => file);
  const parts = PARTS_OF_PAGE.flatMap((name) => [...named(name, 'js'), ...named(name, 'css')]);
  const page = closure([...linked, ...parts]);
  const workers = closure(['worker', ...PARTS_OF_WORKER].flatMap((name) => named(name, 'js')));
  return {
    page: ['index.html', ...page.map((file) => `assets/${file}`)],
    workers: workers.filter((file) => !page.includes(file)).map((file) => `assets/${file}`),
  };
}
