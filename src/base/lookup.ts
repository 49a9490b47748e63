/**
 * Looks a name up in a plain object. What every object inherits (`constructor`, `toString`, `__proto__`) is nobody's
 * entry, though `table[name]` finds it: a setting, a file or a tensor may well be called so. `npm run check` refuses
 * `table[text]` in src/ for that reason; tables that grow are Maps.
 */
export function lookup<T extends object>(table: T | undefined, name: string): T[keyof T] | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}
