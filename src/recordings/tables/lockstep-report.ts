/**
 * Reads the JSON of `lockstep collectives --json` as a table. Validates everything, because the file may come from
 * anywhere.
 */
import { brief } from '../../base/brief';
import { LockstepError } from '../../base/errors';
import { lookup } from '../../base/lookup';
import type { CollectivesTable, CollectivesTableRow, TableTiming } from './collectives-table';

type Fields = Readonly<Record<string, unknown>>;
const record = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const number = (of: Fields, key: string): number => {
  const value = lookup(of, key);
  return typeof value === 'number' ? value : Number.NaN;
};
const text = (of: Fields, key: string): string => {
  const value = lookup(of, key);
  return typeof value === 'string' ? brief(value) : '';
};

export function readLockstepReport(file: string, request: unknown, rows: readonly unknown[]): CollectivesTable {
  const asked = record(request);
  const ranks = number(asked, 'ranks');
  const read = rows.map((row, index): CollectivesTableRow => {
    const of = record(row);
    const timings = (['measured', 'modelled'] as const).map((label) => timing(label, of));
    const bytes = number(of, 'bytes');
    if (!Number.isFinite(bytes) || timings.some(({ timeUs }) => !Number.isFinite(timeUs))) {
      throw new LockstepError(
        'data',
        `Row ${index} of the report lacks its bytes, measured time or modelled time.`,
        WHAT,
      );
    }
    return {
      bytes,
      count: number(of, 'count'),
      dtype: text(of, 'dtype'),
      reduceOp: text(of, 'reduceOp'),
      root: number(of, 'root'),
      timings,
    };
  });
  if (read.length === 0) throw new LockstepError('data', 'The report has no rows.', WHAT);
  return {
    file,
    tool: 'lockstep collectives',
    kind: text(asked, 'op').replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
    ranks: Number.isSafeInteger(ranks) ? ranks : undefined,
    rows: read,
  };
}

const WHAT = 'Give what `lockstep collectives --json` wrote.';

function timing(label: 'measured' | 'modelled', row: Fields): TableTiming {
  const of = record(lookup(row, label));
  const wrong = number(row, 'wrong');
  return {
    label,
    timeUs: number(of, 'timeUs'),
    algorithmBandwidth: number(of, 'algorithmBandwidth'),
    busBandwidth: number(of, 'busBandwidth'),
    wrong: label === 'measured' && Number.isFinite(wrong) ? wrong : undefined,
  };
}
