/** What an action needs, by hand for a pipeline of three stages. */
import { expect, test } from 'vitest';
import { dependenciesOf } from './check-schedule';
import { fromCsv, parseCell, printCell } from './schedule-text';

test('the stage before for a forward, the stage after for a backward, I for W', () => {
  const schedule = fromCsv('0F0,1F0,1B0,0I0,0W0\n2F0,2I0,2W0');
  const needed = (text: string): string => {
    const cell = parseCell(text);
    return cell && 'kind' in cell ? dependenciesOf(cell, schedule).map(printCell).join(' ') : 'no action';
  };
  expect(['0F0', '1F0', '2F0'].map(needed)).toEqual(['', '0F0', '1F0']);
  // The last stage's gradient comes from the loss. Of a split backward the next stage needs the I.
  expect(['2B0', '2I0', '1B0', '0B0'].map(needed)).toEqual(['2F0', '2F0', '1F0 2I0', '0F0 1B0']);
  // In torch the first stage's I does nothing: its W needs the gradient itself.
  expect(['2W0', '0I0', '0W0'].map(needed)).toEqual(['2I0', '0F0 1B0', '0I0 1B0']);
});
