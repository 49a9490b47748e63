/** What the drawing says of each moment is what the processes of the recorded rendezvous have done by then. */
import { expect, test } from 'vitest';
import { lesson } from '../../../../learn/launching/lesson';
import { must } from '../../../base/invariant';
import { drawingOf, holdsForAllKnobs } from '../../testing/drawn';
import { type DrawnMeeting, kind } from './rendezvous';

const drawing = drawingOf(lesson, 'meeting', kind);
const momentsOf = async (late: string) =>
  must(
    ((await drawing.data) as readonly DrawnMeeting[]).find((own) => own.late === late),
    'a meeting',
  ).moments.map((calls) => calls.map(({ rank, what }) => `${rank} ${what}`));

test('rank 3 is last: the other ranks have written their keys and wait, then all return at once', async () => {
  expect(await momentsOf('rank 3')).toEqual([
    ['0 starts', '0 serves', '0 sets', '0 waits'],
    ['1 starts', '1 connects', '1 is connected', '1 sets', '1 waits'],
    ['2 starts', '2 connects', '2 is connected', '2 sets', '2 waits'],
    ['3 starts', '3 connects', '3 is connected', '3 sets', '3 waits'],
    expect.arrayContaining(['0 returns', '1 returns', '2 returns', '3 returns']),
  ]);
});

test('rank 0 is last: no rank gets further than connecting, because rank 0 serves the store', async () => {
  const [first, second, third, fourth, last] = await momentsOf('rank 0');
  expect([first, second, third]).toEqual([1, 2, 3].map((rank) => [`${rank} starts`, `${rank} connects`]));
  expect(fourth).toEqual(expect.arrayContaining(['0 serves', '1 is connected', '2 is connected', '3 is connected']));
  expect(last?.toSorted()).toEqual(['0 returns', '1 returns', '2 returns', '3 returns']);
});

test('rank 3 never starts: the others raise, and none returns', async () => {
  const moments = await momentsOf('never');
  expect(moments.at(-1)?.toSorted()).toEqual(['0 raises', '1 raises', '2 raises']);
  expect(moments.flat().filter((call) => call.endsWith('returns'))).toEqual([]);
});

test.each([
  ['rank 3', '3', /Ranks 0, 1 and 2 have written their keys.*they wait for rank 3/],
  ['rank 0', '2', /Ranks 1 and 2 try to reach the store/],
  ['never', '5', /Ranks 0, 1 and 2 raise an error, because the key of rank 3 is missing/],
  ['rank 3', '5', /returns in all processes/],
])('%s, moment %s', async (late, moment, says) => {
  expect((await drawing.draw({ late, moment })).says).toMatch(says);
});

test('pictures at both widths, for all knobs', () => holdsForAllKnobs(kind, drawing));
