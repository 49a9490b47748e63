/** Keeps the reports in docs/benchmarks.md, the newest first; no report is ever removed. */
import { readFileSync, writeFileSync } from 'node:fs';

export const MARK = '<!-- npm run bench -- --write puts its report below this line -->';

/** @param {string} text @param {string} date @param {string} report */
export function withReport(text, date, report) {
  const at = text.indexOf(MARK);
  if (at < 0) throw new Error(`the document has no place for reports ("${MARK}")`);
  const end = at + MARK.length;
  const older = text.slice(end).trim();
  return `${text.slice(0, end)}\n\n### ${date}\n\n${report.trim()}\n${older ? `\n${older}\n` : ''}`;
}

/** @param {string} file @param {string} date @param {string} report */
export function appendToHistory(file, date, report) {
  writeFileSync(file, withReport(readFileSync(file, 'utf8'), date, report));
}
