/** A comparison as the lines that a terminal shows. Pure; `lockstep compare` prints it. */
import { printable } from '../base/printable';
import type { AnyReport } from './any-report';
import type { ReportComparison } from './compare-reports';
import { type Section, sectionsOf } from './comparison-sections';
import { noCause } from './no-cause';

export function comparisonText(comparison: ReportComparison): string {
  const { a, b, verdict, bar } = comparison;
  const lines = [
    `A  ${title(a)}`,
    `B  ${title(b)}`,
    '',
    verdict.sentence,
    ...causeLines(comparison),
    ...sectionsOf(comparison).flatMap(sectionLines),
    '',
    `Bar: a relative difference of ${bar.text}; for gradients 8 times as much.`,
    '',
  ];
  return printable(lines.join('\n'));
}

const title = ({ name, madeBy }: AnyReport): string => (madeBy === '' ? name : `${name} (${madeBy})`);

function causeLines({ causes, verdict, settings }: ReportComparison): readonly string[] {
  if (verdict.same !== false) return [];
  if (causes.length === 0) return ['', 'Likely causes', `  ${noCause(settings)}`];
  const lines = causes.flatMap(({ says, evidence }, i) => [`  ${i + 1}. ${says}`, `     ${evidence}`]);
  return ['', 'Likely causes', ...lines];
}

function sectionLines({ heading, lead, columns, rows, notes }: Section): readonly string[] {
  const lines = [
    ...(lead === undefined ? [] : [lead]),
    ...(rows.length === 0 ? [] : table([columns, ...rows])),
    ...notes,
  ];
  return ['', heading, ...lines.map((line) => `  ${line}`)];
}

/** A table whose columns are as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, i) =>
    rows.reduce((most, row) => Math.max(most, row[i]?.length ?? 0), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
