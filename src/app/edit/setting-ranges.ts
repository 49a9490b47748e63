/**
 * The allowed values of a setting, read from the Config's schema, so that limits are defined only once: the permalink
 * names the allowed range in its notices, and the fields of the set-up take their min, max and options from here. Pure.
 */
import { lookup } from '../../base/lookup';
import { type Config, configSchema } from '../../protocol/config';

/** A setting's path in the Config: ['optimizer', 'lr']. */
export type SettingPath = readonly string[];

export type SettingRange =
  | {
      readonly kind: 'number';
      readonly min: number;
      readonly max: number;
      readonly integer: boolean;
      /** A word allowed instead of the number: norm_type's inf. */
      readonly word?: string;
    }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  /** An object with one of these types. */
  | { readonly kind: 'typed'; readonly types: readonly string[] }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text' };

/** The parts of a valibot schema that this module reads. */
interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly pipe?: readonly { readonly type: string; readonly requirement?: unknown }[];
}

const unwrap = (schema: Schema): Schema => (schema.wrapped ? unwrap(schema.wrapped) : schema);
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && 'type' in value;

const field = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? lookup(value as Readonly<Record<string, unknown>>, key) : undefined;

export function readSetting(config: Config, path: SettingPath): unknown {
  return path.reduce<unknown>(field, config);
}

/** The branch of this type in a variant (optimizer, data, a variant of variants). */
function branchOf(schema: Schema, type: unknown): Schema | undefined {
  for (const option of (schema.options ?? []).filter(isSchema)) {
    const found = option.type === 'variant' ? branchOf(option, type) : option;
    if (found?.entries?.['type']?.literal === type) return found;
  }
  return undefined;
}

/** The types of a variant, including nested variants. */
function typesOf(schema: Schema): readonly string[] {
  if (schema.type === 'variant') return (schema.options ?? []).filter(isSchema).flatMap(typesOf);
  return [String(schema.entries?.['type']?.literal)];
}

function branch(schema: Schema, value: unknown): Schema {
  const bare = unwrap(schema);
  return bare.type === 'variant' ? (branchOf(bare, field(value, 'type')) ?? bare) : bare;
}

/** The range of a setting; undefined if the present Config has no such setting (momentum under Adam). */
export function rangeOf(config: Config, path: SettingPath): SettingRange | undefined {
  let schema: Schema = configSchema;
  let value: unknown = config;
  for (const key of path) {
    const next = lookup(branch(schema, value).entries, key);
    if (!next) return undefined;
    schema = next;
    value = field(value, key);
  }
  return rangeOfSchema(unwrap(schema));
}

function rangeOfSchema(schema: Schema): SettingRange {
  if (schema.type === 'union') {
    const options = (schema.options ?? []).filter(isSchema);
    const number = options.find(({ type }) => type === 'number');
    const word = options.find(({ type }) => type === 'literal')?.literal;
    const range = number && word !== undefined ? rangeOfSchema(number) : undefined;
    return range?.kind === 'number' ? { ...range, word: String(word) } : { kind: 'text' };
  }
  const requirement = (type: string, otherwise: number) => {
    const found = schema.pipe?.find((part) => part.type === type)?.requirement;
    return typeof found === 'number' ? found : otherwise;
  };
  if (schema.type === 'number') {
    return {
      kind: 'number',
      min: requirement('min_value', Number.NEGATIVE_INFINITY),
      max: requirement('max_value', Number.POSITIVE_INFINITY),
      integer: schema.pipe?.some((part) => part.type === 'integer') ?? false,
    };
  }
  if (schema.type === 'picklist') return { kind: 'choice', options: (schema.options ?? []).map(String) };
  if (schema.type === 'boolean') return { kind: 'boolean' };
  if (schema.type === 'variant') return { kind: 'typed', types: typesOf(schema) };
  return { kind: 'text' };
}

export function rangeText(range: SettingRange, name: (option: string) => string = (option) => option): string {
  switch (range.kind) {
    case 'number':
      return `${range.integer ? 'a whole number' : 'a number'} from ${range.min} to ${range.max}${range.word === undefined ? '' : ` or ${range.word}`}`;
    case 'choice':
      return `one of ${range.options.map(name).join(', ')}`;
    case 'typed':
      return `one of ${range.types.map(name).join(', ')}`;
    case 'boolean':
      return '1 or 0';
    case 'text':
      return 'a text';
  }
}
