/** The limits for data sets and their files: larger ones are refused, with the sizes, before memory runs out. */
import { refusedSettings } from '../base/refused-settings';
import type { FilePlace } from './data-error';
import { dataError } from './data-error';

/** The most input elements of a data set, 4 bytes each: 256 MiB. MNIST's 60,000 training images take 179 MiB. */
const MAX_INPUT_ELEMENTS = 2 ** 26;
/** The most bytes of a text file. */
export const MAX_TEXT_BYTES = 5 * 2 ** 20;
/** The most bytes of a table, whose cells are strings before they are numbers and then take ten times as much. */
export const MAX_TABLE_BYTES = 64 * 2 ** 20;
/** The most bytes of a file of images, both packed and unpacked. */
export const MAX_FILE_BYTES = 256 * 2 ** 20;

const MIB = 2 ** 20;
export const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`;

/** Refuses `rows` rows of `width` elements that would not fit; called before they are allocated. */
export function checkSize(data: string, rows: number, width: number, hint: string): void {
  if (rows * width <= MAX_INPUT_ELEMENTS) return;
  throw refusedSettings({
    code: 'data',
    settings: { 'data.type': data },
    why: `the data would take ${mebibytes(4 * rows * width)} (${rows} rows of ${width} elements); at most ${mebibytes(4 * MAX_INPUT_ELEMENTS)} are allowed`,
    hint,
    details: { rows, width },
  });
}

/** Refuses a file that is larger than `limit` bytes. */
export function checkFileSize(place: FilePlace, bytes: number, limit: number): void {
  if (bytes > limit)
    throw dataError(place, mebibytes(bytes), `at most ${mebibytes(limit)}`, 'Use a smaller part of the data.');
}
