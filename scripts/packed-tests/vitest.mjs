/**
 * The module 'vitest' of tests that are packed for a machine without npm (scripts/pack-gpu-tests.mjs): Vitest's own
 * runner and matchers, without its server, reporters and transforms.
 */

import {
  ASYMMETRIC_MATCHERS_OBJECT,
  customMatchers,
  GLOBAL_EXPECT,
  getState,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import { getCurrentTest } from '@vitest/runner';
import { fn, restoreAllMocks, spyOn } from '@vitest/spy';
import * as chai from 'chai';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from '@vitest/runner';
export const vi = { fn, spyOn, restoreAllMocks };

/** @param {unknown} value @param {string} [message] @returns {any} */
const expecting = (value, message) => {
  /** @type {any} */
  const found = chai.expect(value, message);
  const now = getCurrentTest();
  return now ? found.withTest(now) : found;
};

/** @type {any} */
export const expect = expecting;
Object.assign(expect, chai.expect, Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT));
expect.getState = () => getState(expect);
/** @param {object} matchers */
expect.extend = (matchers) => Reflect.get(chai.expect, 'extend').call(chai.expect, expect, matchers);
expect.unreachable = (message = '') => chai.assert.fail(`expected ${message} not to be reached`);
/** @param {() => unknown} get */
expect.poll = (get) =>
  new Proxy(
    {},
    {
      get:
        (_, key) =>
        /** @param {unknown[]} given */
        async (...given) => {
          for (const until = Date.now() + 30_000; ; ) {
            try {
              return expect(await get())[key](...given);
            } catch (error) {
              if (Date.now() > until) throw error;
              await new Promise((resolve) => setTimeout(resolve, 50));
            }
          }
        },
    },
  );
setState({ assertionCalls: 0 }, expect);
Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect, writable: true, configurable: true });
expect.extend(customMatchers);
