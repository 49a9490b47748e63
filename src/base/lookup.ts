/**
 * Looks a name up in a plain object. `table[name]` would also find inherited properties (`constructor`, `toString`,
 * `__proto__`), and a setting, a file or a tensor may have such a name. `npm run check` refuses `table[text]` in src/
 * for that reason; tables that grow are Maps.
 */
export function lookup<T extends object>(table: T | undefined, name: string): T[keyof T] | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}
