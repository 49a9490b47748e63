/** Which errors of the window are reported, and which are not ours; e2e/boundaries.spec.ts has a real window. */
import { expect, test } from 'vitest';
import { LockstepError, toWire } from '../../base/errors';
import type { Notice } from '../../protocol/notice';
import { listenForErrors } from './listen-for-errors';

const fired = (type: string, fields: object): readonly Notice[] => {
  const said: Notice[] = [];
  const target = new EventTarget();
  listenForErrors(target, (notice) => said.push(notice));
  target.dispatchEvent(Object.assign(new Event(type), fields));
  return said;
};

test('uncaught errors and unhandled rejections become notices', () => {
  expect(fired('error', { error: new TypeError('x is undefined') })).toMatchObject([
    { level: 'error', id: 'stray', text: 'Something went wrong outside the run: x is undefined' },
  ]);
  expect(fired('unhandledrejection', { reason: 'no' })).toMatchObject([{ text: expect.stringMatching(/: no$/) }]);
  expect(
    fired('unhandledrejection', { reason: new Error(`${'long '.repeat(200)}\nat x`) })[0]?.text.length,
  ).toBeLessThan(400);
});

test('harmless errors, and errors of other pages and extensions, are ignored', () => {
  expect(fired('error', { message: 'ResizeObserver loop completed with undelivered notifications.' })).toEqual([]);
  expect(fired('error', { error: null, message: 'Script error.' })).toEqual([]);
  expect(fired('unhandledrejection', { reason: new LockstepError('aborted', 'The session was ended.') })).toEqual([]);
  expect(fired('unhandledrejection', { reason: toWire(new LockstepError('config', 'steps: ...')) })).toEqual([]);
  const extension = Object.assign(new Error('translate'), { stack: 'at chrome-extension://abc/content.js:1' });
  expect(fired('error', { error: extension })).toEqual([]);
});
