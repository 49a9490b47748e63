import { expect, test } from 'vitest';
import { type PollingScope, pollPatiently } from './patient-polling';

/** As native code makes them: without a name and without a source. */
function native(callback: () => void): () => void {
  return Object.defineProperty(callback.bind(undefined), 'name', { value: '' });
}

/** Notes how each callback was asked for, and runs them one after the other. */
function scope() {
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  const polling: PollingScope = {
    setImmediate: (callback, ...args) => {
      asked.push('at once');
      waiting.push(() => callback(...args));
    },
    setTimeout: (callback) => {
      asked.push('later');
      waiting.push(callback);
    },
  };
  const run = () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) next();
    return asked.splice(0);
  };
  pollPatiently(polling);
  return { polling, run };
}

test('native code polls without delay for a while, then every millisecond', () => {
  const { polling, run } = scope();
  const wait = (polls: number) => {
    let left = polls;
    const ask = native(() => {
      left -= 1;
      if (left > 0) polling.setImmediate(ask);
    });
    polling.setImmediate(ask);
    return run();
  };
  expect(wait(3)).toEqual(['at once', 'at once', 'at once']);
  const long = wait(30);
  expect(long).toHaveLength(30);
  expect(long.indexOf('later')).toBe(20);
  expect(long.slice(20).every((how) => how === 'later')).toBe(true);
  // Each wait begins anew.
  expect(wait(2)).toEqual(['at once', 'at once']);
});

test('callbacks of JavaScript are run at once, with their arguments', () => {
  const { polling, run } = scope();
  const given: unknown[] = [];
  let left = 30;
  const again = (...args: unknown[]) => {
    given.push(args);
    left -= 1;
    if (left > 0) polling.setImmediate(again, left);
  };
  polling.setImmediate(again, 'first', 2);
  expect(run().every((how) => how === 'at once')).toBe(true);
  expect(given.slice(0, 2)).toEqual([['first', 2], [29]]);
  expect(given).toHaveLength(30);
});

test('a second call changes nothing', () => {
  const { polling } = scope();
  const { setImmediate } = polling;
  pollPatiently(polling);
  expect(polling.setImmediate).toBe(setImmediate);
});
