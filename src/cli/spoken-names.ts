/**
 * Names as people say them: what the page's buttons show, PyTorch's names, other spellings ('DDP', 'Wide MLP',
 * 'double_tree', 'batch_size'). Finds the configuration's name for them in the schema; unknown words stay unchanged,
 * and the session says what is allowed. Called by settings.ts and read-run.ts.
 */

import { lookup } from '../base/lookup';
import { FACES } from '../parallel/faces';
import { configSchema } from '../protocol/config';
import { LARGE_PRESETS } from '../protocol/large-presets';
import { PRESETS, type Preset } from '../protocol/presets';
import { namesOf } from '../protocol/words/algorithms';

/** Reduces a name to its letters and digits. */
const plain = (name: string): string => name.replace(/[^a-z0-9]/gi, '').toLowerCase();

/** By setting: other words for a value, besides other spellings of its name. */
const SAID: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mode: Object.fromEntries(
    Object.values(FACES).flatMap(({ name, alsoCalled = [] }) => alsoCalled.map((word) => [word, name])),
  ),
  'data.type': { exclusiveor: 'xor', gaussians: 'gauss', sequencetask: 'sequence' },
  'ddp.algorithm': {
    ...Object.fromEntries(Object.entries(namesOf('name')).map(([algorithm, said]) => [plain(said), algorithm])),
    naivethroughrank0: 'naive',
  },
  device: { automatic: 'auto' },
  placement: { onegpudevice: 'shared', aworkerarank: 'workers' },
  hardware: {
    '8gpusnvlink': 'nvlink8',
    '4gpuspcie': 'pcie4',
    '10gbitethernet': 'ethernet10g',
    transputers: 'transputer',
  },
};

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

/** The variants of a schema, without wrappers. */
function variants(schema: unknown): readonly Schema[] {
  if (!isSchema(schema)) return [];
  if (isSchema(schema['wrapped'])) return variants(schema['wrapped']);
  if (typeof schema['getter'] === 'function')
    return variants((schema['getter'] as (input: unknown) => unknown)(undefined));
  const { type, options } = schema;
  if ((type === 'variant' || type === 'union') && Array.isArray(options)) return options.flatMap(variants);
  return [schema];
}

function below(schemas: readonly Schema[], key: string): readonly Schema[] {
  return schemas.flatMap(({ entries, item }) => {
    const entry = isSchema(entries) ? lookup(entries, key) : undefined;
    return variants(entry ?? (/^\d+$/.test(key) ? item : undefined));
  });
}

const schemasAt = (path: readonly string[]): readonly Schema[] =>
  path.reduce((schemas, key) => below(schemas, key), variants(configSchema));

const keysOf = (schemas: readonly Schema[]): readonly string[] =>
  schemas.flatMap(({ entries }) => (isSchema(entries) ? Object.keys(entries) : []));

/** The path in the schema's spelling: ddp.bucketCapMb for 'ddp.bucket_cap_mb'. */
export function settingPath(path: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const part of path) {
    const keys = keysOf(schemasAt(found));
    found.push(keys.includes(part) ? part : (keys.find((key) => plain(key) === plain(part)) ?? part));
  }
  return found;
}

/** Whether the setting is an object with a `type` that determines its other settings. */
export const hasType = (path: readonly string[]): boolean => keysOf(schemasAt(path)).includes('type');

/** The intended choice, if the setting has choices. */
export function settingValue(path: readonly string[], said: string): string {
  const choices = schemasAt(path).flatMap(({ type, options, literal }) =>
    type === 'picklist' && Array.isArray(options) ? options : type === 'literal' ? [literal] : [],
  );
  const known = choices.filter((choice): choice is string => typeof choice === 'string');
  if (known.includes(said)) return said;
  const alias = lookup(lookup(SAID, path.join('.')), plain(said));
  return alias ?? known.find((choice) => plain(choice) === plain(said)) ?? said;
}

/** The page's presets, and presets that are too large for the page. */
export const CLI_PRESETS: ReadonlyMap<string, Preset> = new Map(Object.entries({ ...PRESETS, ...LARGE_PRESETS }));
export const PRESET_NAMES: readonly string[] = [...CLI_PRESETS.keys()];

/** Finds a preset by its name, its title on the page, or an unambiguous beginning of either. */
export function presetNamed(said: string): string | undefined {
  const names = [...CLI_PRESETS].map(([name, { title }]) => ({ name, known: [plain(name), plain(title)] }));
  const word = plain(said);
  const exact = names.find(({ known }) => known.includes(word));
  const begun = word === '' ? [] : names.filter(({ known }) => known.some((full) => full.startsWith(word)));
  return exact?.name ?? (begun.length === 1 ? begun[0]?.name : undefined);
}
