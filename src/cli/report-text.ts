/**
 * The report as JSON in pieces, one step per line, because a run may have millions of steps and no JavaScript string
 * could hold them all. Key order and content are those of JSON.stringify. Called by train.ts.
 */
import type { Report } from '../protocol/report';

/** The number of steps in a piece. */
const CHUNK = 1000;

export function* reportText(report: Pick<Report, 'losses' | 'history'>): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(report)) {
    if (value === undefined) continue;
    yield `${before}\n  ${JSON.stringify(key)}: `;
    if (key === 'losses') yield* stepLines(report.losses);
    else if (key === 'history') yield* stepLines(report.history ?? []);
    else yield JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
    before = ',';
  }
  yield '\n}\n';
}

function* stepLines(losses: readonly object[]): Generator<string> {
  if (losses.length === 0) {
    yield '[]';
    return;
  }
  for (let start = 0; start < losses.length; start += CHUNK) {
    const lines = losses.slice(start, start + CHUNK).map((record) => `\n    ${JSON.stringify(record)}`);
    yield `${start === 0 ? '[' : ','}${lines.join(',')}`;
  }
  yield '\n  ]';
}
