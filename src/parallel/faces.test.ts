/** The line for newcomers of each mode reads well for any number of devices. */
import { expect, test } from 'vitest';
import { FACES } from './faces';

test.each(Object.values(FACES))('$title: two short sentences, whatever the number of devices', ({ seen }) => {
  for (let devices = 1; devices <= 16; devices++) {
    const text = seen(devices);
    expect(text).toMatch(/^[A-Z0-9][^.]*\. Watch [^.]*\.$/);
    expect(text.length).toBeLessThan(110);
  }
});

test('known under its usual names', () => {
  expect(FACES.ddp.seen(4)).toBe('Four replicas of one net, each with its own samples. Watch them agree.');
  expect(FACES.ddp.seen(16)).toBe('16 replicas of one net, each with its own samples. Watch them agree.');
});
