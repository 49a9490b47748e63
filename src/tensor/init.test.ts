/** Initial parameters of nn.Linear and of a Sequential of them against torch 1.13.1, bit for bit. */
import { expect, test } from 'vitest';
import { fingerprint, type StoredTensor } from './fixtures/decode';
import fixtures from './fixtures/init.json';
import { Generator } from './generator';
import { initLinear } from './init';

test.each(fixtures.cases.map((c) => [`${c.expr} seed ${c.seed}`, c] as const))('%s', (_, c) => {
  const g = new Generator(c.seed);
  const linears = [...c.expr.matchAll(/Linear\((\d+),(\d+)(,bias=False)?\)/g)];
  const drawn = linears.flatMap(([, inputs, outputs, without]) => {
    const { weight, bias } = initLinear(g, Number(inputs), Number(outputs), without === undefined);
    return bias ? [weight, bias] : [weight];
  });
  const stored = Object.values(c.params as Record<string, StoredTensor>);
  expect(drawn.length).toBe(stored.length);
  for (const [i, tensor] of stored.entries()) {
    const { actual, expected } = fingerprint(drawn[i] ?? new Float32Array(), tensor);
    expect(actual).toBe(expected);
  }
  expect([...g.rand(2)]).toEqual(c.next_rand2);
});
