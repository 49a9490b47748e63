/**
 * A Vite plugin that makes workers entries of the page's build. Vite builds each worker separately, so the session's
 * worker, the ranks' workers and the page would each contain the engine. With this plugin, code that two of them need
 * is one chunk that both import. Only for the build; the development server does not need it.
 */

/** The code that starts a worker here (base/policy-worker), outside comments. */
const START = /(?<!^ \*.*)new Worker\(\s*new URL\('([^']+)', import\.meta\.url\)/gm;

/** Vite's own module for every import(): it adds <link> elements to the document, and a worker has no document. */
const PRELOAD = '\0vite/preload-helper.js';
const PRELOAD_HEAD = 'function preload(baseModule, deps, importerUrl) {';

/** @returns {import('vite').Plugin} */
export const sharedWorkers = () => ({
  name: 'shared-workers',
  apply: 'build',
  enforce: 'pre',
  async transform(code, id) {
    if (id === PRELOAD) {
      if (!code.includes(PRELOAD_HEAD)) this.error('Vite loads parts in another way than this plugin knows.');
      const head = `${PRELOAD_HEAD} if (typeof document === 'undefined') return baseModule();`;
      return { code: code.replace(PRELOAD_HEAD, head), map: null };
    }
    let changed = code;
    for (const [words, file = ''] of code.matchAll(START)) {
      const resolved = await this.resolve(file, id);
      if (!resolved) this.error(`The worker ${file} was not found.`);
      const name = file.replace(/^.*\//, '').replace(/\.ts$/, '');
      const reference = this.emitFile({ type: 'chunk', id: resolved.id, name });
      changed = changed.replace(words, `new Worker(new URL(import.meta.ROLLUP_FILE_URL_${reference})`);
    }
    return changed === code ? null : { code: changed, map: null };
  },
});
