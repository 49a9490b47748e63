/**
 * A first look at a CSV file, so that the page can offer its columns and fit the net's first and last size. It only
 * guesses: the session reads the file strictly and names the line of an error. Pure.
 */

import { parsePart } from '../../config/issue-words';
import { type Config, dataSchema } from '../../protocol/config';
import { vector } from '../../protocol/config/data-row';
import { type DataChange, putData } from '../edit/edit-data';

export interface CsvLook {
  readonly file: string;
  readonly rows: number;
  /** The columns' names if the first row looks like a header, else "column 0" and so on. */
  readonly columns: readonly string[];
  readonly header: boolean;
  /** The number of distinct values of each column; undefined if they are many, or not whole numbers or words. */
  readonly classes: readonly (number | undefined)[];
}

/** More distinct whole numbers than this count as a quantity. */
const MANY_CLASSES = 20;
const LOOKED_AT_ROWS = 5000;

const isNumber = (cell: string) => cell.trim() !== '' && Number.isFinite(Number(cell));

function splitLine(line: string, delimiter: string): readonly string[] {
  const cells = line.match(new RegExp(`("([^"]|"")*"|[^${delimiter}]*)(${delimiter}|$)`, 'g')) ?? [];
  const bare = cells.map((cell) =>
    cell
      .replace(new RegExp(`${delimiter}$`), '')
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  );
  // At the end of a line that does not end in a delimiter, the pattern also matches an empty text.
  return line.endsWith(delimiter) ? bare : bare.slice(0, -1);
}

export function lookAtCsv(file: string, text: string): CsvLook | undefined {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  const first = lines[0];
  if (first === undefined) return undefined;
  const delimiter = [',', ';', '\t'].find((mark) => first.includes(mark)) ?? ',';
  const names = splitLine(first, delimiter);
  const second = lines[1] === undefined ? names : splitLine(lines[1], delimiter);
  const header = names.every((cell) => !isNumber(cell)) && second.some(isNumber);
  const body = lines.slice(header ? 1 : 0, LOOKED_AT_ROWS).map((line) => splitLine(line, delimiter));
  return {
    file,
    rows: lines.length - (header ? 1 : 0),
    columns: names.map((cell, index) => (header ? cell : `column ${index}`)),
    header,
    classes: names.map((_, index) => countClasses(body.map((cells) => cells[index] ?? ''))),
  };
}

function countClasses(cells: readonly string[]): number | undefined {
  const distinct = new Set(cells);
  const wordsOrWhole = cells.every((cell) => !isNumber(cell) || Number.isInteger(Number(cell)));
  return wordsOrWhole && distinct.size >= 2 && distinct.size <= MANY_CLASSES ? distinct.size : undefined;
}

/**
 * Makes this column the target: the net's first and last size and the loss follow from the number of columns and
 * classes.
 */
export function withCsv(config: Config, look: CsvLook, target: number, header: 'auto' | 'yes' | 'no'): DataChange {
  const { testFraction } = config.data;
  const data = parsePart(dataSchema, { type: 'csv', file: look.file, target, header, testFraction }, 'The data');
  const classes = look.classes[target];
  const inputs = Math.max(1, look.columns.length - 1);
  if (classes === undefined) return putData(config, data, vector(inputs, 1, 'MSELoss'));
  return putData(
    config,
    data,
    classes === 2 ? vector(inputs, 1, 'BCEWithLogitsLoss') : vector(inputs, classes, 'CrossEntropyLoss'),
  );
}
