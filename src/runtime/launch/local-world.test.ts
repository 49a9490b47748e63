/**
 * A world in this thread: calls take effect in the order in which they came, whatever each of them waits for, and an
 * error reaches everyone who waits.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { PROGRAM_OPS } from '../../parallel/modes';
import { createCpuExecutor } from '../cpu/cpu-executor';
import type { Executor } from '../executor';
import { createPortMesh } from '../transport/rank-links';
import type { HostedExecutor } from './hosted-executor';
import { createLocalWorld } from './local-world';
import { openExecutors } from './open-executors';
import { type SmallWorld, smallWorld, weightsOf, writeStart } from './testing/small-world';
import type { World } from './world';

const hosted = (small: SmallWorld): HostedExecutor => {
  const devices = small.rankOfDevice.map((_, device) => device);
  const executor = createCpuExecutor({ programs: small.programs, devices, ops: PROGRAM_OPS });
  return { executor, devices, lose() {}, close() {} };
};

/** One executor a device, joined by ports. */
async function joined(small: SmallWorld): Promise<{ world: World; executors: readonly HostedExecutor[] }> {
  const devices = small.rankOfDevice.map((_, device) => device);
  const mesh = createPortMesh(devices.length);
  const ports = new Map(devices.map((device) => [device, at(mesh, device)]));
  const executors = await openExecutors({ kind: 'cpu', programs: small.programs, devices, ports }, { gpu: undefined });
  return { world: createLocalWorld(executors, small.table), executors };
}

/** An executor whose every third step has to wait for room before it is enqueued, as the WebGPU executor's do. */
function hesitating(executor: Executor): Executor {
  let asked = 0;
  return {
    ...executor,
    step(key, feed) {
      if (++asked % 3 !== 0) return executor.step(key, feed);
      return new Promise((resolve) => setTimeout(resolve, 3)).then(() => executor.step(key, feed));
    },
  };
}

const ways: readonly [string, (small: SmallWorld) => Promise<World>][] = [
  ['one executor', async (small) => createLocalWorld([hosted(small)], small.table)],
  [
    'one executor that waits for room',
    async (small) => {
      const one = hosted(small);
      return createLocalWorld([{ ...one, executor: hesitating(one.executor) }], small.table);
    },
  ],
  ['one executor per device', async (small) => (await joined(small)).world],
];

describe.each(ways)('%s', (_, open) => {
  test('runs that overlap run one after the other, each with its own losses; what is read between them is of that step', async () => {
    const small = smallWorld('ddp', 3);
    const world = await open(small);
    await writeStart(world, small);
    const overlapping = [
      world.run(small.steps(0, 7)),
      weightsOf(world, small),
      world.run(small.steps(7, 9)),
      world.trace(at(small.steps(9, 10), 0)),
      world.run(small.steps(10, 14)),
      weightsOf(world, small),
    ] as const;
    const [first, middle, second, traced, third, end] = await Promise.all(overlapping);

    const alone = createLocalWorld([hosted(small)], small.table);
    await writeStart(alone, small);
    expect(first).toEqual(await alone.run(small.steps(0, 7)));
    expect(middle).toEqual(await weightsOf(alone, small));
    expect(second).toEqual(await alone.run(small.steps(7, 9)));
    expect(traced.losses).toEqual((await alone.trace(at(small.steps(9, 10), 0))).losses);
    expect(third).toEqual(await alone.run(small.steps(10, 14)));
    expect(end).toEqual(await weightsOf(alone, small));
    await world.dispose();
  });
});

test('a device that fails ends the step for all: the others do not wait for its messages', async () => {
  const small = smallWorld('ddp', 3);
  const { executors } = await joined(small);
  const broken = executors.map((one, i) =>
    i === 1 ? { ...one, executor: { ...one.executor, step: () => Promise.reject(new Error('broken')) } } : one,
  );
  const world = createLocalWorld(broken, small.table);
  await writeStart(world, small);
  await expect(world.run(small.steps(0, 2))).rejects.toThrow('broken');
  await world.dispose();
});

test.each(['at once', 'later'] as const)(
  'dispose() ends a step that waits (%s), and every call after it',
  async (when) => {
    const small = smallWorld('ddp', 2);
    const { executors } = await joined(small);
    // Device 1 is not driven at all: device 0 waits for its messages.
    const world = createLocalWorld([must(executors[0], 'device 0')], small.table);
    const step = world.run(small.steps(0, 1));
    const ended = expect(step).rejects.toMatchObject({ code: 'aborted' });
    if (when === 'later') await new Promise((resolve) => setTimeout(resolve, 10));
    await world.dispose();
    await ended;
    await expect(world.run(small.steps(1, 2))).rejects.toMatchObject({ code: 'aborted' });
    await expect(weightsOf(world, { ...small, parameters: small.parameters.slice(0, 1) })).rejects.toMatchObject({
      code: 'aborted',
    });
    executors[1]?.close();
  },
);

test('a process opens whole or not at all', async () => {
  const small = smallWorld('ddp', 2);
  const mesh = createPortMesh(2);
  const ports = new Map([[0, at(mesh, 0)]]);
  await expect(
    openExecutors({ kind: 'cpu', programs: small.programs, devices: [0, 1], ports }, { gpu: undefined }),
  ).rejects.toThrow('ports of cuda:1');
});
