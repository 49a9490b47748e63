/**
 * The settings of a configuration that may be left out, with the values that they then have. The Python files of an
 * export compare two configurations with it: a configuration that leaves a setting out equals one that gives its
 * default. Called by export-folder.ts.
 */
import * as v from 'valibot';
import { lookup } from '../../base/lookup';
import { type Config, configSchema } from '../../protocol/config';

type Settings = { readonly [name: string]: unknown };

const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A nested object for a section of settings. `config`: with all its defaults. */
export function defaultsOf(config: Config): Settings {
  return defaultsIn(config, (changed) => {
    const read = v.safeParse(configSchema, changed);
    return read.success ? read.output : undefined;
  });
}

/** `parse`: a changed section with its defaults; undefined if the change is not a valid configuration. */
function defaultsIn(section: Settings, parse: (section: Settings) => Settings | undefined): Settings {
  return Object.fromEntries(
    Object.entries(section).flatMap(([name, value]) => {
      const { [name]: _, ...rest } = section;
      const left = lookup(parse(rest) ?? {}, name);
      if (isSettings(value)) {
        const inner = defaultsIn(value, (changed) => {
          const read = lookup(parse({ ...section, [name]: changed }) ?? {}, name);
          return isSettings(read) ? read : undefined;
        });
        return [[name, isSettings(left) ? { ...left, ...inner } : inner] as const];
      }
      return left === undefined ? [] : [[name, left] as const];
    }),
  );
}
