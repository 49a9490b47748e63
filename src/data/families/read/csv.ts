/**
 * A CSV file as rows: one target column, all others inputs. Under CrossEntropyLoss, NLLLoss and BCEWithLogitsLoss the
 * target may be words, which become classes in order of appearance; whole numbers (0 and 1) are used unchanged. Every
 * error names file, line and column.
 */
import { firstFew } from '../../../base/brief';
import { at } from '../../../base/invariant';
import type { DataConfig, LossConfig } from '../../../protocol/config';
import { dataError, type FilePlace, fileBytes, quoted } from '../../data-error';
import { dataFamily, type Labels, type Reals, type Rows } from '../../family';
import { checkFileSize, MAX_TABLE_BYTES } from '../../limits';
import { type CsvRow, readCsv } from '../../readers/csv';
import { takesClasses } from '../../targets';

type CsvConfig = Extract<DataConfig, { type: 'csv' }>;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** NaN if the cell is not a number; infinity if float32 cannot hold the value. */
const numberOf = (cell: string): number => {
  const text = cell.trim();
  return NUMBER.test(text) ? Math.fround(Number(text)) : Number.NaN;
};

function csv(config: CsvConfig, loss: LossConfig, bytes: Uint8Array): Rows {
  const { file } = config;
  checkFileSize({ file }, bytes.length, MAX_TABLE_BYTES);
  const all = readCsv(file, bytes).rows;
  const first = all[0];
  if (first === undefined)
    throw dataError({ file }, 'only blank lines', 'at least one row', 'Choose a file with data in it.');
  const width = first.cells.length;
  if (width < 2) {
    throw dataError(
      { file, line: first.line },
      'a single column',
      'two or more, separated by comma, semicolon or tab',
      'A row needs at least one input and a target.',
    );
  }
  const header = hasHeader(config, first) ? first.cells.map((name) => name.trim()) : undefined;
  const body = header === undefined ? all : all.slice(1);
  if (body.length < 2)
    throw dataError({ file }, `${body.length} rows of data`, 'at least 2', 'Choose a file with more rows.');
  const target = targetColumn(config, width, header);

  const inputs = new Float32Array(body.length * (width - 1));
  let next = 0;
  for (const row of body) {
    for (const [column, cell] of row.cells.entries())
      if (column !== target) inputs[next++] = number(file, row, column, header, cell);
  }
  const targets =
    takesClasses(loss.type) || loss.type === 'BCEWithLogitsLoss'
      ? labels(body, target, loss.type, (row) => place(file, row, target, header))
      : reals();
  return {
    kind: 'table',
    inputs,
    inputShape: [width - 1],
    targets: targets ?? reals(),
    ...(header === undefined ? {} : { columns: header }),
  };

  function reals(): Reals {
    const values = Float32Array.from(body, (row) => number(file, row, target, header, at(row.cells, target)));
    return { kind: 'reals', width: 1, values };
  }
}

/** 'auto': the first row is a header if it contains the target's name, or if none of its cells is a number. */
function hasHeader({ header, target }: CsvConfig, first: CsvRow): boolean {
  if (header !== 'auto') return header === 'yes';
  if (typeof target === 'string' && first.cells.some((cell) => cell.trim() === target)) return true;
  return first.cells.every((cell) => Number.isNaN(numberOf(cell)));
}

function targetColumn({ file, target }: CsvConfig, width: number, header: readonly string[] | undefined): number {
  if (target === undefined) return width - 1;
  if (typeof target === 'number') {
    if (target < width) return target;
    throw dataError(
      { file },
      `target column ${target}`,
      `an index from 0 to ${width - 1}`,
      `The file has ${width} columns, counted from 0.`,
    );
  }
  const index = header?.indexOf(target) ?? -1;
  if (header !== undefined && index !== header.lastIndexOf(target)) {
    const both = header.flatMap((name, column) => (name === target ? [column] : [])).join(' and ');
    throw dataError(
      { file, line: 1 },
      `the name ${quoted(target)} more than once`,
      'one target column',
      `Give its index: ${both}.`,
    );
  }
  if (index >= 0) return index;
  const known =
    header === undefined
      ? 'The file has no header: give the column as an index, counted from 0.'
      : `Columns: ${firstFew(header)}.`;
  throw dataError({ file, line: 1 }, `no column named ${quoted(target)}`, 'the target column', known);
}

function place(file: string, row: CsvRow, column: number, header: readonly string[] | undefined): FilePlace {
  const columnName = header?.[column];
  return { file, line: row.line, column: column + 1, ...(columnName === undefined ? {} : { columnName }) };
}

function number(
  file: string,
  row: CsvRow,
  column: number,
  header: readonly string[] | undefined,
  cell: string,
): number {
  const value = numberOf(cell);
  if (Number.isFinite(value)) return value;
  const hint = /^\s*\d+,\d+\s*$/.test(cell)
    ? 'Use a point as the decimal mark.'
    : 'Correct the cell or remove the row; inputs must be numbers.';
  const where = place(file, row, column, header);
  throw dataError(where, quoted(cell), Number.isNaN(value) ? 'a number' : 'a number that float32 can hold', hint);
}

/** Undefined: not classes but numbers between 0 and 1, which BCEWithLogitsLoss uses unchanged. */
function labels(
  body: readonly CsvRow[],
  target: number,
  loss: LossConfig['type'],
  placeOf: (row: CsvRow) => FilePlace,
): Labels | undefined {
  const cells = body.map((row) => at(row.cells, target).trim());
  const empty = cells.indexOf('');
  if (empty >= 0)
    throw dataError(placeOf(at(body, empty)), 'nothing', 'a target', 'Fill in the cell, or remove the row.');
  const numbers = cells.map(numberOf);
  const whole = numbers.every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 24);
  if (takesClasses(loss) && whole) {
    const values = Int32Array.from(numbers);
    return { kind: 'labels', classes: values.reduce((most, value) => Math.max(most, value + 1), 0), values };
  }
  if (loss === 'BCEWithLogitsLoss' && numbers.every((value) => value >= 0 && value <= 1)) {
    return whole ? { kind: 'labels', classes: 2, values: Int32Array.from(numbers) } : undefined;
  }
  const classOf = new Map<string, number>();
  for (const cell of cells) if (!classOf.has(cell)) classOf.set(cell, classOf.size);
  const names = [...classOf.keys()];
  if (loss === 'BCEWithLogitsLoss' && names.length > 2) {
    const some = names.slice(0, 4).map(quoted).join(', ');
    const third = at(names, 2);
    throw dataError(
      placeOf(at(body, cells.indexOf(third))),
      `${quoted(third)}, the third of ${names.length} classes (${some}${names.length > 4 ? ', ...' : ''})`,
      'two for BCEWithLogitsLoss',
      'Use CrossEntropyLoss, or another target column.',
    );
  }
  return {
    kind: 'labels',
    classes: Math.max(2, names.length),
    values: Int32Array.from(cells, (cell) => classOf.get(cell) ?? 0),
    names,
  };
}

export const family = dataFamily({
  type: 'csv',
  rows: ({ config, loss, files }) => csv(config, loss, fileBytes(files, config.file)),
});
