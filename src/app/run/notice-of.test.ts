/** Everything that is thrown becomes words: our errors, errors from workers, and other errors. */
import { expect, test } from 'vitest';
import { asLockstepError, LockstepError, toWire } from '../../base/errors';
import { noticeOf } from './notice-board';

const refused = new LockstepError('config', 'heads is 4: no.', 'Take 2.', { settings: { heads: 4 } });

test.each<[string, unknown]>([
  ['as it was thrown', refused],
  ['as it crosses the worker wall', toWire(refused)],
  ['as it crosses the wall a second time', toWire(toWire(refused))],
])('%s', (_, error) => {
  expect(noticeOf(error)).toEqual({ level: 'error', id: 'config', text: 'heads is 4: no.', hint: 'Take 2.' });
  expect(asLockstepError(error)).toMatchObject({ code: 'config', message: 'heads is 4: no.' });
});

test('an error that is not a LockstepError', () =>
  expect(noticeOf(new TypeError('x is not a function'))).toMatchObject({
    id: 'internal',
    text: 'x is not a function',
  }));
