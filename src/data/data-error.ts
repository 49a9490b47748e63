/** The error for a refused data file: the file, the place in it, what was found and what was expected. */

import { brief, firstFew } from '../base/brief';
import { LockstepError } from '../base/errors';
import { lookup } from '../base/lookup';
import type { Files } from '../protocol/session';

export interface FilePlace {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  readonly columnName?: string;
  /** Byte offset from the start of a binary file. */
  readonly byte?: number;
}

export function dataError(place: FilePlace, found: string, expected: string, hint: string): LockstepError {
  const parts = [brief(place.file, 120)];
  if (place.line !== undefined) parts.push(`line ${place.line}`);
  if (place.column !== undefined)
    parts.push(`column ${place.column}${place.columnName === undefined ? '' : ` (${brief(place.columnName, 40)})`}`);
  if (place.byte !== undefined) parts.push(`byte ${place.byte}`);
  return new LockstepError('data', `${parts.join(', ')}: found ${found}, expected ${expected}.`, hint, {
    ...place,
    found,
    expected,
  });
}

/** A file's bytes, or an error that names the missing or empty file. */
export function fileBytes(files: Files, file: string): Uint8Array<ArrayBuffer> {
  if (file === '') {
    const hint = 'Drop the file on the page, or name it in the configuration.';
    throw new LockstepError('data', 'No data file is named.', hint);
  }
  const bytes = lookup(files, file);
  if (bytes === undefined) {
    const known = Object.keys(files);
    const hint =
      known.length === 0 ? 'Drop the file on the page, or check the path.' : `Files at hand: ${firstFew(known)}.`;
    throw dataError({ file }, 'no such file', 'a file of that name', hint);
  }
  if (bytes.length === 0)
    throw dataError({ file }, 'an empty file', 'at least one row', 'Choose a file with data in it.');
  return bytes;
}

/** A cell for an error message: in quotes, and shortened. */
export const quoted = (cell: string): string => (cell === '' ? 'nothing' : JSON.stringify(brief(cell, 40)));
