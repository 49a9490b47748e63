/** What a part that does not come is turned into. */
import { expect, test } from 'vitest';
import { fromWire, toWire } from './errors';
import { loadPart } from './load-part';

test('returns a part that was loaded', async () => {
  expect(await loadPart('The lab', async () => ({ lab: 1 }))).toEqual({ lab: 1 });
});

test('a part that cannot be loaded is not reported as a bug, also from a worker', async () => {
  const failed = new TypeError('Failed to fetch dynamically imported module: https://example.org/lab-1.js');
  const error: unknown = await loadPart('The lab', () => Promise.reject(failed)).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'not-loaded', message: 'The lab could not be fetched.' });
  const crossed = fromWire(toWire(error));
  expect(crossed).toMatchObject({ code: 'not-loaded', details: { reason: failed.message } });
  expect(crossed.hint).not.toContain('bug');
});
