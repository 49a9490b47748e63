/**
 * Code that is fetched when a run needs it, for callers that cannot wait: asynchronous code calls load() first, and
 * synchronous code calls get() later. Only the site in a browser fetches, built or from the development server.
 * Elsewhere (tests, benches, the command line) a module that has parts loads them as it is imported:
 *
 *     if (!globalThis.LOCKSTEP_SITE) await loadAll(PARTS);
 *
 * vite.config.ts sets LOCKSTEP_SITE to `true` in the site, where this line then does nothing. Callers that can wait use
 * load-part.ts.
 */
import { must } from './invariant';
import { loadPart } from './load-part';

declare global {
  /** Set in the scripts of the site alone (vite.config.ts). */
  var LOCKSTEP_SITE: true | undefined;
}

export class Part<T> {
  readonly #what: string;
  readonly #fetch: () => Promise<T>;
  #loaded: T | undefined;

  /** `what` begins a sentence: "The operators of convolutions". */
  constructor(what: string, fetch: () => Promise<T>) {
    this.#what = what;
    this.#fetch = fetch;
  }

  async load(): Promise<T> {
    this.#loaded ??= await loadPart(this.#what, this.#fetch);
    return this.#loaded;
  }

  /** The part if it has been loaded, for callers that can do without it. */
  now(): T | undefined {
    return this.#loaded;
  }

  get(): T {
    return must(this.#loaded, `${this.#what}, which should have been loaded before`);
  }
}

export async function loadAll(parts: Iterable<Part<unknown>>): Promise<void> {
  await Promise.all([...parts].map((part) => part.load()));
}

/**
 * A table of code by name, to which rows are added as the parts that hold them come. It only grows and is the same for
 * every run: like an imported module, it belongs to the process and holds no state of a run.
 */
export class CodeTable<Row extends { readonly name: string }> extends Map<string, Row> {
  constructor(rows: Iterable<Row>) {
    super();
    this.extend(rows);
  }

  extend(rows: Iterable<Row>): void {
    for (const row of rows) this.set(row.name, row);
  }
}
