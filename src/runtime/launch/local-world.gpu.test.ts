/**
 * Runs that overlap on one GPUDevice, longer than its loss ring has room for: enqueued in order, each with its own
 * losses.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NodeGpu, nodeGpu } from '../webgpu/testing/node-gpu';
import { createLocalWorld } from './local-world';
import { openExecutors } from './open-executors';
import { smallWorld, weightsOf, writeStart } from './testing/small-world';

let node: NodeGpu;
beforeAll(() => {
  node = nodeGpu({ warm: true });
});
afterAll(() => node.close());

test('long runs that overlap are one run', async () => {
  const small = smallWorld('ddp', 2, 4);
  const plan = { kind: 'webgpu', programs: small.programs, devices: [0, 1] } as const;
  const open = async () => createLocalWorld(await openExecutors(plan, { gpu: node.gpu }), small.table);
  const [together, alone] = [await open(), await open()];
  for (const world of [together, alone]) await writeStart(world, small);
  const [a, b, middle, c] = await Promise.all([
    together.run(small.steps(0, 400)),
    together.run(small.steps(400, 700)),
    weightsOf(together, small),
    together.run(small.steps(700, 710)),
  ]);
  const expected = await alone.run(small.steps(0, 700));
  expect([...a, ...b]).toEqual(expected);
  expect(middle).toEqual(await weightsOf(alone, small));
  expect(c).toEqual(await alone.run(small.steps(700, 710)));
  await together.dispose();
  await alone.dispose();
});
