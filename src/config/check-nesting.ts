/**
 * Limits of a configuration's nesting and number of values, checked before the schema recurses through it. A cycle of
 * objects, which a script on the page can pass, is infinitely deep. Called by parse-config.ts.
 */
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';

/** Levels of nested lists and objects; sixteen nested residual blocks have 35. */
export const MOST_NESTED = 64;
const MOST_VALUES = 200_000;

export function checkNesting(input: unknown): void {
  const open: { readonly value: unknown; readonly depth: number; readonly place: string }[] = [
    { value: input, depth: 0, place: '' },
  ];
  let values = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth, place } = next;
    values += 1;
    if (values > MOST_VALUES) {
      throw new LockstepError(
        'config',
        `The configuration has more than ${MOST_VALUES.toLocaleString('en')} values.`,
        'Put the data into a file and name the file in "data".',
      );
    }
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if (depth === MOST_NESTED) {
      throw new LockstepError(
        'config',
        `${brief(place, 80)}: lists and objects are nested more than ${MOST_NESTED} deep.`,
        'Use fewer levels of nested layers and lists.',
      );
    }
    for (const [key, inner] of Object.entries(value))
      open.push({ value: inner, depth: depth + 1, place: place === '' ? key : `${place}.${key}` });
  }
}
