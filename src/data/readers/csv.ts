/**
 * A strict reader of delimited text (RFC 4180, with `,` `;` or tab): cells as strings, each row with the line it began
 * on. Blank lines are skipped, as pandas does; a ragged row is refused. `families/read/csv.ts` interprets the cells.
 */
import { at } from '../../base/invariant';
import { dataError } from '../data-error';
import { decodeUtf8 } from './utf8';

export interface CsvRow {
  /** Line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvTable {
  readonly delimiter: ',' | ';' | '\t';
  readonly rows: readonly CsvRow[];
}

export function readCsv(file: string, bytes: Uint8Array): CsvTable {
  const text = decodeUtf8(file, bytes, 'UTF-8 text', 'Save the table as CSV in UTF-8.');
  const delimiter = findDelimiter(text);
  const rows: CsvRow[] = [];
  const scan = { position: 0, line: 1 };
  while (scan.position < text.length) {
    const line = scan.line;
    const cells = readRow(file, text, delimiter, scan);
    if (cells.length === 1 && at(cells, 0).trim() === '') continue;
    const width = rows[0]?.cells.length ?? cells.length;
    if (cells.length !== width) {
      throw dataError(
        { file, line },
        `${cells.length} ${cells.length === 1 ? 'column' : 'columns'}`,
        `${width}, as in line ${at(rows, 0).line}`,
        'Correct the row, or remove it.',
      );
    }
    rows.push({ line, cells });
  }
  return { delimiter, rows };
}

/** A tab or a semicolon in the first line, outside quotes, has priority over the comma, which may be a decimal mark. */
function findDelimiter(text: string): CsvTable['delimiter'] {
  const firstLine = text.slice(
    0,
    Math.min(...[text.length, text.indexOf('\n'), text.indexOf('\r')].filter((i) => i >= 0)),
  );
  const bare = firstLine.replace(/"(?:[^"]|"")*"/g, '');
  if (bare.includes('\t')) return '\t';
  return bare.includes(';') ? ';' : ',';
}

/** Reads one row and moves `scan` past its line end. */
function readRow(file: string, text: string, delimiter: string, scan: { position: number; line: number }): string[] {
  const cells: string[] = [];
  for (;;) {
    cells.push(
      text[scan.position] === '"'
        ? readQuoted(file, text, delimiter, scan, cells.length + 1)
        : readBare(file, text, delimiter, scan, cells.length + 1),
    );
    const end = text[scan.position];
    if (end === delimiter) {
      scan.position += 1;
      continue;
    }
    if (end !== undefined) endLine(text, scan);
    return cells;
  }
}

function endLine(text: string, scan: { position: number; line: number }): void {
  scan.position += text[scan.position] === '\r' && text[scan.position + 1] === '\n' ? 2 : 1;
  scan.line += 1;
}

function readBare(
  file: string,
  text: string,
  delimiter: string,
  scan: { position: number; line: number },
  column: number,
): string {
  const start = scan.position;
  let i = start;
  for (; i < text.length; i++) {
    const c = text[i];
    if (c === delimiter || c === '\n' || c === '\r') break;
    if (c === '"')
      throw dataError(
        { file, line: scan.line, column },
        'a quote inside a bare cell',
        'a cell in quotes',
        'Put the whole cell in quotes and double the quotes in it.',
      );
  }
  scan.position = i;
  return text.slice(start, i);
}

function readQuoted(
  file: string,
  text: string,
  delimiter: string,
  scan: { position: number; line: number },
  column: number,
): string {
  const place = { file, line: scan.line, column };
  let cell = '';
  let i = scan.position + 1;
  for (;;) {
    const close = text.indexOf('"', i);
    if (close < 0)
      throw dataError(place, 'a quote that is never closed', 'a closing quote', 'Close the quote, or remove it.');
    const part = text.slice(i, close);
    scan.line += (part.match(/\r\n|\r|\n/g) ?? []).length;
    cell += part;
    i = close + 1;
    if (text[i] !== '"') break;
    cell += '"';
    i += 1;
  }
  scan.position = i;
  const after = text[i];
  if (after !== undefined && after !== delimiter && after !== '\n' && after !== '\r') {
    throw dataError(
      place,
      `${JSON.stringify(after)} after a closing quote`,
      'the end of the cell',
      'Double the quotes inside a quoted cell.',
    );
  }
  return cell;
}
