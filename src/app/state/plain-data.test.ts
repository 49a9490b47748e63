/**
 * Whatever a script hands over becomes plain data or a sentence that names its place; e2e/window-api.spec.ts has the
 * page.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LockstepError } from '../../base/errors';
import { plainData, plainFiles } from './plain-data';

const refused = (value: unknown): string => {
  try {
    plainData(value, 'config');
  } catch (error) {
    expect(error).toMatchObject({ code: 'config' });
    return error instanceof Error ? error.message : '';
  }
  return '';
};

test('JSON values stay unchanged', () => {
  void fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(plainData(value, 'config')).toEqual(value);
    }),
    { seed: 7 },
  );
});

test('values that no worker can be sent are refused by name', () => {
  expect(refused({ steps: 5n })).toBe('config.steps is a BigInt; write it as a number, without the n: 5.');
  expect(refused(() => 1)).toBe('config is a function.');
  expect(refused({ model: { layers: [{ in: Symbol('x') }] } })).toBe('config.model.layers[0].in is a symbol.');
  expect(refused({ data: new Map() })).toBe('config.data is a Map.');
  expect(refused({ widths: new Float32Array(2) })).toBe('config.widths is a Float32Array.');
  expect(refused({ seed: new Date(0) })).toBe('config.seed is a Date.');
});

test('getters and proxies are read, or refused with the error that they throw', () => {
  const getter = Object.defineProperty({}, 'steps', { enumerable: true, get: () => 7 });
  expect(plainData(getter, 'config')).toEqual({ steps: 7 });
  expect(plainData(new Proxy({ steps: 3 }, {}), 'config')).toEqual({ steps: 3 });
  const throwing = Object.defineProperty({}, 'steps', {
    enumerable: true,
    get: () => {
      throw new RangeError('boom');
    },
  });
  expect(refused(throwing)).toBe('config.steps could not be read: boom');
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(refused({ data: proxy })).toMatch(/^config\.data could not be read: .*revoked/);
  const endless: object = new Proxy(
    {},
    {
      ownKeys: () => ['a'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: endless }),
      get: () => endless,
    },
  );
  expect(refused(endless)).toMatch(/nested more than 32 deep, or contains itself/);
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  expect(refused(circle)).toMatch(/contains itself/);
  expect(refused(new Array(1e7))).toMatch(/10000000 entries/);
});

test('names of Object.prototype are only names', () => {
  const given: unknown = JSON.parse('{"__proto__": {"steps": 1}, "constructor": 2}');
  const plain = plainData(given, 'config');
  expect(Object.keys(plain as object)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
});

test('files are bytes by name', () => {
  expect(plainFiles(undefined)).toEqual({});
  expect(plainFiles({ 'a.csv': new Uint8Array([1, 2]) })).toEqual({ 'a.csv': new Uint8Array([1, 2]) });
  for (const given of ['a,b', 5n, null, { 'a.csv': 'text' }, { 'a.csv': new ArrayBuffer(2) }, () => 1])
    expect(() => plainFiles(given)).toThrow(LockstepError);
});
