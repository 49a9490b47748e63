/**
 * Bounds on what a configuration may be made of, looked at before the schema walks through it by recursion: how deep it
 * nests and how many values it has. A ring of objects, which a script on the page can hand over, is endlessly deep.
 * Called by parse-config.ts.
 */
import { brief } from '../base/brief';
import { LockstepError } from '../base/errors';

/** Lists and objects within each other; sixteen residual blocks, one in the other, take 35. */
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
