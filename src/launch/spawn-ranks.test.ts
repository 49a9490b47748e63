/** The calls that window.lockstep.spawn refuses before any worker starts; e2e/distributed.spec.ts tests the workers. */
import { expect, test } from 'vitest';
import { spawnRanks } from './spawn-ranks';

test('an invalid module address, and invalid options', async () => {
  for (const module of [() => 1, Symbol('x'), 5n, undefined, {}])
    await expect(spawnRanks(module, 2, {})).rejects.toThrow(
      `spawn(): the first argument must be the address of a module, not a ${typeof module}.`,
    );
  for (const [options, words] of [
    [{ timeout: 3 }, /options are backend, timeoutS, algorithm; not timeout/],
    [{ timeoutS: Number.NaN }, /the option timeoutS is NaN/],
    [{ timeoutS: 5n }, /the option timeoutS is 5/],
    [{ algorithm: 'constructor' }, /the option algorithm is "constructor"; expected .*"ring"/],
    [{ backend: () => 1 }, /the option backend is Function; expected string/],
    ['gloo', /not "gloo"/],
    [[], /not Array/],
    [() => 1, /not Function/],
  ] as const)
    await expect(spawnRanks('data:text/javascript,', 2, options)).rejects.toThrow(words);
});

test('an invalid number of ranks', async () => {
  for (const nprocs of [-1, Number.NaN, 1.5, 65])
    await expect(spawnRanks('x.js', nprocs, {})).rejects.toThrow('nprocs');
});
