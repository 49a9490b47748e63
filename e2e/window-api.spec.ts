/**
 * window.lockstep, called as a careless script would call it: every refusal is a sentence that names the place, and no
 * refusal is reported as a bug in Lockstep.
 */

import { placeInBrowser } from '../scripts/tier';
import { expect, TINY, test } from './playground';

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

test('run: values that no setting can have', async ({ playground }) => {
  await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
  const refusals = await playground.page.evaluate(async () => {
    const boom = () => {
      throw new Error('boom');
    };
    const given: readonly unknown[] = [
      { steps: 5n },
      () => 1,
      { data: Symbol('xor') },
      { seed: new Date(0) },
      Object.defineProperty({}, 'steps', { enumerable: true, get: boom }),
      new Proxy({}, { ownKeys: boom }),
      new Proxy({ steps: 'many' }, {}),
      undefined,
      'steps',
    ];
    const run = (config: unknown) => (window.lockstep as NonNullable<typeof window.lockstep>).run(config);
    return Promise.all(given.map((config) => run(config).then(String, (error: Refusal) => error)));
  });
  const expected = [
    /^config\.steps is a BigInt; write it as a number, without the n: 5\.$/,
    /^config is a function\.$/,
    /^config\.data is a symbol\.$/,
    /^config\.seed is a Date\.$/,
    /^config\.steps could not be read: boom$/,
    /^config could not be read: boom$/,
    /steps/,
    /configuration is not valid/,
    /configuration is not valid/,
  ];
  for (const [i, pattern] of expected.entries()) {
    expect(refusals[i]).toMatchObject({ code: 'config', message: expect.stringMatching(pattern) });
    expect((refusals[i] as Refusal).hint).not.toContain('bug');
  }
});

test(
  'spawn: one rank by default, and invalid numbers of ranks are refused',
  placeInBrowser({ rest: 'distributed.spec.ts spawns ranks' }),
  async ({ playground }) => {
    await playground.open(`${TINY}&data=xor&mode=single&device=cpu`);
    const answers = await playground.page.evaluate(async () => {
      const module = 'data:text/javascript,export default async (dist, rank) => rank';
      const spawn = (nprocs: unknown) =>
        (window.lockstep as NonNullable<typeof window.lockstep>)
          .spawn(module, nprocs as number)
          .catch((error: Refusal) => error);
      return Promise.all([undefined, 2, -1, 0, Number.NaN, 1.5, 1e6, 5n, '2'].map(spawn));
    });
    expect(answers.slice(0, 2)).toEqual([[0], [0, 1]]);
    for (const answer of answers.slice(2))
      expect(answer).toMatchObject({ code: 'distributed', message: expect.stringMatching(/^spawn\(\): nprocs is /) });
  },
);
