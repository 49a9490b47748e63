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
import { createPortMesh } from './ports';
import { ringOver } from './ring';
import { createSharedMemory } from './shared-memory';
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
async function relay(ranks: number, options: RelayOptions) {
  const mesh = createPortMesh(ranks);
  const memory = createSharedMemory(ranks);
  const threads = mesh.map((own, rank) => {
    const ports = own as unknown as RelayTask['ports'];
    const workerData: RelayTask = { ...options, own: rank, ranks, memory, ports };
    return new Thread(path.join(folder, 'relay.mjs'), { workerData, transferList: [...ports.values()] as NodePort[] });
  });
  const ends = threads.map(
    (thread) =>
      new Promise((resolve, reject) => {
        thread.once('message', resolve);
        thread.once('error', reject);
      }),
  );
  const results = await Promise.all(ends);
  for (const thread of threads) thread.postMessage('end');
  await Promise.all(threads.map((thread) => new Promise((resolve) => thread.once('exit', resolve))));
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
  ['ranks that never sleep', 3, { rounds: 150, seed: 4, mayBlock: false, blockMs: 0, most: 60_000 }],
] as const)('every message arrives: %s', async (_, ranks, options) => {
  const results = await relay(ranks, options);
  for (const result of results) expect(result).toMatchObject({ done: options.rounds });
});

test('a ring keeps bits and order across its end and the overflow of its counters', () => {
  const memory = new Int32Array(new SharedArrayBuffer(4 * (32 + 64)));
  memory.fill(-40, 0, 32);
  const [writer, reader] = [ringOver(memory), ringOver(memory)];
  const nan = new Float32Array(Int32Array.of(0x7fc12345, -0x80000000, 7).buffer);
  for (let order = 0; order < 100; order++) {
    const message = { order, tag: `tag ${order % 3}`, data: nan.slice(0, order % 4) };
    expect(writer.write(message)).toBe(true);
    expect(reader.read(order + 1)).toBeUndefined();
    const read = reader.read(order);
    expect(read).toMatchObject({ order, tag: message.tag });
    expect(new Int32Array(read?.data.buffer ?? new ArrayBuffer(0))).toEqual(new Int32Array(message.data.buffer));
  }
  const large = { order: 100, tag: 'tag 0', data: new Float32Array(40) };
  expect(writer.write(large)).toBe(true);
  expect(writer.write({ ...large, order: 101 }), 'no room').toBe(false);
  expect(reader.read(100)?.data).toEqual(large.data);
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
