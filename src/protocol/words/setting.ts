/**
 * The words of settings: a title, which is the label of its field, and one sentence or two, which is the field's
 * tooltip and the description in the JSON Schema. They are not in the schema (v.title, v.description), because all code
 * that reads a Config imports the schema: the session's workers would load about 4 kB of words that only panels and the
 * command line show, and a panel would load the words of all other panels. Each part of the schema has a table, typed
 * by that part, so a setting without words does not compile.
 */

export interface Setting {
  /** Dotted place in the Config. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
}

/** All names that a part of the Config may have, in any of its variants. */
export type NameIn<T> = T extends unknown ? Exclude<keyof T & string, 'type'> : never;

export type Settings<K extends string> = Readonly<Record<K, Setting>>;

export function settings<K extends string>(
  path: string,
  words: Readonly<Record<K, readonly [title: string, description: string]>>,
): Settings<K> {
  const rows = Object.entries<readonly [string, string]>(words).map(([name, [title, description]]) => [
    name,
    { path: path === '' ? name : `${path}.${name}`, title, description },
  ]);
  return Object.fromEntries(rows) as Settings<K>;
}
