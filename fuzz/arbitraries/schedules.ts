/**
 * CSVs of pipeline schedules: torch's schedules with cells moved, changed and inserted, and text that is not a cell.
 */
import fc from 'fast-check';
import { SCHEDULE_NAMES } from '../../src/protocol/pipeline';
import { makeSchedule, stagesPerRankOf } from '../../src/schedules/schedule';
import { toCsv } from '../../src/schedules/schedule-text';
import { oddName } from './odd';

const whole = fc
  .tuple(fc.constantFrom(...SCHEDULE_NAMES), fc.integer({ min: 1, max: 3 }), fc.boolean())
  .map(([name, ranks, comms]) => {
    const size = { name, ranks, stagesPerRank: stagesPerRankOf(name, undefined), microBatches: 2 * ranks };
    return toCsv(makeSchedule(size), { comms });
  });

const cell = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(5), fc.constantFrom('F', 'B', 'I', 'W'), fc.nat(5)).map((all) => all.join('')),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      ' ',
      '(0F1;1B0)OVERLAP_F_B',
      '(0B0;0F0)OVERLAP_F_B',
      '(0F1;)OVERLAP_F_B',
      '0SEND_F1',
      '(0SEND_F1;0RECV_B0)',
      '0UNSHARD',
      '999999F0',
      '0F999999',
      '0F0;0B0',
      '"0f0"',
      '0F\u0660',
    ),
  },
  { weight: 1, arbitrary: oddName },
);

interface Edit {
  readonly at: number;
  readonly how: 'insert' | 'replace' | 'remove' | 'swap' | 'newRow';
  readonly text: string;
}
const edit = fc.record<Edit>({
  at: fc.nat(80),
  how: fc.constantFrom('insert', 'replace', 'remove', 'swap', 'newRow'),
  text: cell,
});

/** Edits can change both cells and line ends. */
function edited(csv: string, { at, how, text }: Edit): string {
  const pieces = csv.split(/(,|\n)/);
  const place = at % pieces.length;
  const [here = '', next = ''] = [pieces[place], pieces[place + 2]];
  switch (how) {
    case 'insert':
      return pieces.toSpliced(place, 0, text, ',').join('');
    case 'replace':
      return pieces.with(place, text).join('');
    case 'remove':
      return pieces.toSpliced(place, 1).join('');
    case 'swap':
      return pieces.toSpliced(place, 3, next, pieces[place + 1] ?? '', here).join('');
    case 'newRow':
      return pieces.toSpliced(place, 0, '\n').join('');
  }
}

export const anySchedule: fc.Arbitrary<string> = fc
  .tuple(whole, fc.array(edit, { maxLength: 4 }))
  .map(([csv, edits]) => edits.reduce(edited, csv));
