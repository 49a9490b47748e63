/**
 * Converts the arguments of window.lockstep into data that can be sent to a worker: numbers, texts, lists and plain
 * objects. Errors for functions, symbols, BigInts, throwing getters and endless proxies name their place. parseConfig
 * checks the meaning of settings later.
 */
import { LockstepError } from '../../base/errors';
import type { Files } from '../../protocol/session';

const MAX_DEPTH = 32;
const MAX_VALUES = 200_000;
const HINT = 'Settings are numbers, texts, true or false, lists and plain objects, as in a JSON file.';

export function plainData(value: unknown, name: string): unknown {
  let values = 0;
  const refuse = (place: string, what: string, hint = HINT) =>
    new LockstepError('config', `${place.slice(0, 200)} ${what}`, hint);
  /** Errors thrown by the script's getters and proxies are reported with their place. */
  const read = <T>(place: string, task: () => T): T => {
    try {
      return task();
    } catch (error) {
      const reason = error instanceof Error ? error.message : typeof error;
      throw refuse(place, `could not be read: ${reason.slice(0, 200)}`);
    }
  };
  const plain = (given: unknown, place: string, depth: number): unknown => {
    if (++values > MAX_VALUES) throw refuse(name, `has more than ${MAX_VALUES} values.`);
    if (depth > MAX_DEPTH) throw refuse(place, `is nested more than ${MAX_DEPTH} deep, or contains itself.`);
    if (typeof given === 'bigint')
      throw refuse(place, `is a BigInt; write it as a number, without the n: ${String(given).slice(0, 20)}.`);
    if (typeof given === 'function' || typeof given === 'symbol') throw refuse(place, `is a ${typeof given}.`);
    if (typeof given !== 'object' || given === null) return given;
    if (read(place, () => Array.isArray(given))) {
      const list = given as readonly unknown[];
      const length = read(place, () => list.length);
      if (values + length > MAX_VALUES) throw refuse(place, `has ${length} entries; at most ${MAX_VALUES} are read.`);
      return Array.from({ length }, (_, i) =>
        plain(
          read(`${place}[${i}]`, () => list[i]),
          `${place}[${i}]`,
          depth + 1,
        ),
      );
    }
    const kind = read(place, () => Object.prototype.toString.call(given)).slice(8, -1);
    if (kind !== 'Object') throw refuse(place, `is a ${kind}.`);
    const keys = read(place, () => Object.keys(given));
    // fromEntries creates own properties even for names like __proto__.
    return Object.fromEntries(
      keys.map((key) => {
        const field = `${place}.${key}`;
        return [
          key,
          plain(
            read(field, () => Reflect.get(given, key)),
            field,
            depth + 1,
          ),
        ];
      }),
    );
  };
  return plain(value, name, 0);
}

/** Files for a run: bytes by name. */
export function plainFiles(given: unknown): Files {
  if (given === undefined) return {};
  const refuse = (text: string) =>
    new LockstepError(
      'data',
      `The files of a run: ${text}`,
      "Files are given as { 'name.csv': new TextEncoder().encode(text) }.",
    );
  if (typeof given !== 'object' || given === null) throw refuse(`${given === null ? 'null' : `a ${typeof given}`}.`);
  try {
    return Object.fromEntries(
      Object.entries(given).map(([name, bytes]) => {
        if (!(bytes instanceof Uint8Array)) throw refuse(`${name.slice(0, 100)} must be a Uint8Array.`);
        // A copy: bytes of a shared or detached buffer cannot be sent.
        return [name, new Uint8Array(bytes)];
      }),
    );
  } catch (error) {
    if (error instanceof LockstepError) throw error;
    throw refuse(`they could not be read: ${error instanceof Error ? error.message : typeof error}.`);
  }
}
