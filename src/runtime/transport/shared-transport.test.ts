/**
 * Messages through shared memory between real threads: every message arrives once, whole and in order, and no receiver
 * sleeps through a message, whatever the pauses of the threads. A thread that blocks still handles its events.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type MessagePort as NodePort, Worker as Thread } from 'node:worker_threads';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { bitsOf } from '../../tensor/bits';
import { ringOver } from './message-ring';
import { createPortMesh } from './rank-links';
import { createSharedMemory, stateOf } from './shared-memory';
import { createSharedTransport } from './shared-transport';
import type { RelayTask } from './testing/relay';

let folder: string;
/** Threads cannot load TypeScript. */
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'relay '));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: path.join(import.meta.dirname, 'testing/relay.ts'),
      outDir: folder,
      rolldownOptions: { output: { entryFileNames: 'relay.mjs' } },
    },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

type RelayOptions = Omit<RelayTask, 'own' | 'ranks' | 'memory' | 'ports'>;
function start(ranks: number, options: RelayOptions): readonly Thread[] {
  const mesh = createPortMesh(ranks);
  const memory = createSharedMemory(ranks);
  return mesh.map((own, rank) => {
    const ports = own as unknown as RelayTask['ports'];
    const workerData: RelayTask = { ...options, own: rank, ranks, memory, ports };
    return new Thread(path.join(folder, 'relay.mjs'), { workerData, transferList: [...ports.values()] as NodePort[] });
  });
}

/** The next message of each thread. */
const nextOf = (threads: readonly Thread[]): Promise<unknown[]> =>
  Promise.all(
    threads.map(
      (thread) =>
        new Promise((resolve, reject) => {
          thread.once('message', resolve);
          thread.once('error', reject);
        }),
    ),
  );

async function end(threads: readonly Thread[]): Promise<void> {
  const exits = threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve)));
  for (const thread of threads) thread.postMessage('end');
  await Promise.all(exits);
}

async function relay(ranks: number, options: RelayOptions): Promise<unknown[]> {
  const threads = start(ranks, options);
  const results = await nextOf(threads);
  await end(threads);
  return results;
}

const FOR_EVER = 600_000;
test.each([
  ['two ranks that may sleep', 2, { rounds: 600, seed: 1, mayBlock: true, blockMs: FOR_EVER, most: 3000 }],
  ['five ranks that may sleep', 5, { rounds: 150, seed: 2, mayBlock: true, blockMs: FOR_EVER, most: 3000 }],
  ['three ranks that sleep only for a moment', 3, { rounds: 300, seed: 5, mayBlock: true, blockMs: 1, most: 3000 }],
  ['messages longer than a ring', 3, { rounds: 150, seed: 3, mayBlock: true, blockMs: FOR_EVER, most: 60_000 }],
  [
    'long messages that nothing follows until they are answered',
    2,
    { rounds: 200, seed: 6, mayBlock: true, blockMs: FOR_EVER, most: 60_000, inTurns: true },
  ],
  [
    'peers that are woken after several messages',
    4,
    { rounds: 200, seed: 7, mayBlock: true, blockMs: FOR_EVER, most: 60_000, together: true },
  ],
  ['ranks that never sleep', 3, { rounds: 150, seed: 4, mayBlock: false, blockMs: 0, most: 60_000 }],
] as const)('every message arrives: %s', async (_, ranks, options) => {
  const results = await relay(ranks, options);
  for (const result of results) expect(result).toMatchObject({ done: options.rounds });
});

test('ranks that sleep until a message comes from a rank that hangs answer meanwhile, and then say who never came', async () => {
  const options = { rounds: 50, seed: 8, mayBlock: true, blockMs: 20, most: 3000 };
  const threads = start(4, { ...options, hangs: { rank: 2, round: 20 }, timeoutMs: 1500 });
  const others = threads.filter((_, rank) => rank !== 2);
  const failures: unknown[] = [];
  const waited: number[] = [];
  const all = new Promise<void>((resolve) => {
    for (const thread of others)
      thread.on('message', (said: { readonly waitedMs?: number; readonly error?: string }) => {
        if (said.waitedMs !== undefined) waited.push(said.waitedMs);
        if (said.error !== undefined) failures.push(said);
        if (failures.length === others.length) resolve();
      });
  });
  const asking = setInterval(() => {
    for (const thread of others) thread.postMessage('how long');
  }, 100);
  await all;
  clearInterval(asking);
  await end(threads);
  expect(failures).toEqual(
    others.map(() =>
      expect.objectContaining({
        error: expect.stringContaining('Timed out waiting 1500ms for recv operation'),
        peer: 2,
      }),
    ),
  );
  expect(Math.max(...waited), 'answers while the ranks waited').toBeGreaterThan(0);
});

test('a ring keeps bits and order across its end and the overflow of its counters', () => {
  const memory = new Int32Array(new SharedArrayBuffer(4 * (32 + 64)));
  memory.fill(-40, 0, 32);
  const [writer, reader] = [ringOver(memory), ringOver(memory)];
  const nan = Int32Array.of(0x7fc12345, -0x80000000, 7);
  for (let order = 0; order < 100; order++) {
    const [tag, bits] = [`tag ${order % 3}`, nan.slice(0, order % 4)];
    expect(writer.write(order, tag, bits)).toBe(true);
    expect(reader.read(order + 1)).toBeUndefined();
    const data = new Float32Array(order % 5);
    const read = reader.read(order, { data, bits: bitsOf(data) });
    expect(read).toMatchObject({ order, tag });
    expect(read && bitsOf(read.data)).toEqual(bits);
    expect(read?.data === data, 'copied into the space if it fits').toBe(order % 4 === order % 5);
  }
  const large = Int32Array.from({ length: 40 }, (_, i) => i);
  expect(writer.write(100, 'tag 0', large)).toBe(true);
  expect(writer.write(101, 'tag 0', large), 'no room').toBe(false);
  const read = reader.read(100);
  expect(read && bitsOf(read.data)).toEqual(large);
});

test('blocking ends by itself, and then waits for the event loop', async () => {
  const mesh = createPortMesh(2);
  const memory = createSharedMemory(2);
  const options = { memory, mayBlock: true };
  const [zero, one] = [0, 1].map((own) => createSharedTransport(own, at(mesh, own), options));
  expect(one?.block?.()).toBe(false);
  // Now an event is due, so the thread may not sleep again before it.
  const message = one?.recv(0, 1, 'a');
  let handled = false;
  setTimeout(() => {
    handled = true;
    zero?.send(0, 1, 'a', Float32Array.of(5));
  }, 10);
  expect(await message).toEqual(Float32Array.of(5));
  expect(handled).toBe(true);
  zero?.send(0, 1, 'b', Float32Array.of(6));
  expect(one?.block?.(), 'a message is there').toBe(true);
  expect(one?.take?.(0, 1, 'b')).toEqual(Float32Array.of(6));
  for (const each of [zero, one]) each?.close('done');
});

test('put() leaves its receiver asleep until wake(), and send() wakes it at once', async () => {
  const mesh = createPortMesh(2);
  const memory = createSharedMemory(2);
  const [zero, one] = [0, 1].map((own) => createSharedTransport(own, at(mesh, own), { memory, mayBlock: true }));
  const state = new Int32Array(memory.states);
  const asleep = () => Atomics.load(state, stateOf(1)) !== 0;
  const first = one?.recv(0, 1, 'a');
  expect(zero?.put?.(1, 'a', Int32Array.of(3))).toBe(true);
  expect(zero?.put?.(1, 'a', Int32Array.of(4))).toBe(true);
  expect(asleep()).toBe(true);
  zero?.wake?.();
  expect(asleep()).toBe(false);
  expect(await first).toEqual(new Float32Array(Int32Array.of(3).buffer));
  const data = new Float32Array(1);
  const space = { data, bits: bitsOf(data) };
  expect(one?.take?.(0, 1, 'a', space)).toEqual(new Float32Array(Int32Array.of(4).buffer));

  // A message under another tag must outlive the space.
  zero?.put?.(1, 'b', Int32Array.of(5));
  zero?.put?.(1, 'c', Int32Array.of(6));
  expect(one?.take?.(0, 1, 'c', space)).toBe(data);
  expect([...space.bits]).toEqual([6]);
  expect(one?.take?.(0, 1, 'b')).toEqual(new Float32Array(Int32Array.of(5).buffer));
  const last = one?.recv(0, 1, 'd');
  zero?.send(0, 1, 'd', Float32Array.of(7));
  expect(asleep()).toBe(false);
  expect(await last).toEqual(Float32Array.of(7));
  for (const each of [zero, one]) each?.close('done');
});
