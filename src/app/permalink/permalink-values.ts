/**
 * Settings that are lists or have fields of their own (schedule, parameter groups, class weights) as a text:
 * `StepLR(stepSize:10,every:epoch)`, `!((match:'*.bias',weightDecay:0))`. An object with a `type` is written as a call
 * of it, a list as `!(...)`, a text that could be taken for something else in quotes. Pure; permalink-keys.ts uses it
 * as a codec, and the schema checks the parsed value.
 */
const WORD = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A key of an object: a name, or a module path with numbers and wildcards. */
const KEY = /[A-Za-z0-9_.*]+/;
const isKey = (text: string) => KEY.exec(text)?.[0] === text;

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

export function printValue(value: unknown): string {
  if (Array.isArray(value)) return `!(${value.map(printValue).join(',')})`;
  if (typeof value === 'object' && value !== null) {
    const { type, ...fields } = value as Readonly<Record<string, unknown>>;
    const inside = Object.entries(fields).flatMap(([key, field]) =>
      field === undefined ? [] : [`${isKey(key) ? key : quoted(key)}:${printValue(field)}`],
    );
    return `${typeof type === 'string' ? type : ''}(${inside.join(',')})`;
  }
  if (typeof value !== 'string') return String(value);
  const plain = WORD.test(value) && value !== 'true' && value !== 'false';
  return plain ? value : quoted(value);
}

/**
 * The deepest nesting of brackets: no setting needs more, and the parsers here and in permalink-layers.ts are
 * recursive.
 */
export const MOST_NESTED = 16;

export function nestsTooDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth += 1;
    if (text[i] === ')') depth -= 1;
    if (depth > MOST_NESTED) return true;
  }
  return false;
}

/** Thrown and caught in this file. */
class Unread extends Error {}

/** Undefined if the text does not have this form, or nests too deep. */
export function parseValue(text: string): unknown {
  let depth = 0;
  let at = 0;
  const take = (mark: string): boolean => {
    if (!text.startsWith(mark, at)) return false;
    at += mark.length;
    return true;
  };
  const need = (mark: string): void => {
    if (!take(mark)) throw new Unread();
  };
  const match = (pattern: RegExp): string | undefined => {
    const found = new RegExp(pattern.source, 'y');
    found.lastIndex = at;
    const hit = found.exec(text)?.[0];
    at += hit?.length ?? 0;
    return hit;
  };
  const listOf = (item: () => void): void => {
    if (take(')')) return;
    depth += 1;
    if (depth > MOST_NESTED) throw new Unread();
    do item();
    while (take(','));
    depth -= 1;
    need(')');
  };
  const inQuotes = (): string => {
    const inside = match(/(?:[^'\\]|\\.)*/) ?? '';
    need("'");
    return inside.replace(/\\(.)/gs, '$1');
  };
  const fields = (start: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const object = new Map<string, unknown>(Object.entries(start));
    listOf(() => {
      const key = take("'") ? inQuotes() : match(KEY);
      if (key === undefined) throw new Unread();
      need(':');
      object.set(key, value());
    });
    return Object.fromEntries(object);
  };
  const value = (): unknown => {
    if (take('!(')) {
      const list: unknown[] = [];
      listOf(() => list.push(value()));
      return list;
    }
    if (take('(')) return fields({});
    if (take("'")) return inQuotes();
    const number = match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/);
    if (number !== undefined) return Number(number);
    const word = match(/[A-Za-z_][A-Za-z0-9_]*/);
    if (word === undefined) throw new Unread();
    if (take('(')) return fields({ type: word });
    return word === 'true' ? true : word === 'false' ? false : word;
  };
  try {
    const read = value();
    return at === text.length ? read : undefined;
  } catch (error) {
    if (error instanceof Unread) return undefined;
    throw error;
  }
}
