import { expect, test } from 'vitest';
import { loadAll, Part } from './part';

test('a part is fetched once, and there afterwards', async () => {
  let fetched = 0;
  const part = new Part('The operators', async () => ++fetched);
  expect(() => part.get()).toThrow('The operators, which should have been loaded before');
  await loadAll([part]);
  expect([part.get(), await part.load(), fetched]).toEqual([1, 1, 1]);
});

test('a part that cannot be loaded gives an error, and can be requested again', async () => {
  let online = false;
  const part = new Part('The operators', async () => {
    if (!online) throw new Error('Failed to fetch');
    return 7;
  });
  await expect(part.load()).rejects.toMatchObject({
    code: 'not-loaded',
    message: 'The operators could not be fetched.',
  });
  online = true;
  expect(await part.load()).toBe(7);
});
