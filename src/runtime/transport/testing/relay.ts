/**
 * A rank of the relay in shared-transport.test.ts, in a thread of its own: every round it sends a message to each peer
 * and receives one from each, with pauses of random lengths between, as the runner of a lane does. With `inTurns`, only
 * rank 0 sends first: the other ranks answer, so a message that wakes nobody is followed by no message that does.
 */
import { type MessagePort as NodePort, parentPort, workerData } from 'node:worker_threads';
import { LockstepError } from '../../../base/errors';
import { bitsOf } from '../../../tensor/bits';
import type { SharedMemory } from '../shared-memory';
import { createSharedTransport } from '../shared-transport';

export interface RelayTask {
  readonly own: number;
  readonly ranks: number;
  readonly rounds: number;
  readonly seed: number;
  readonly memory: SharedMemory;
  readonly ports: ReadonlyMap<number, NodePort>;
  readonly mayBlock: boolean;
  /** How long a thread may sleep. If this is longer than the test, a missed message ends the test. */
  readonly blockMs: number;
  /** Most numbers of a message. */
  readonly most: number;
  /** Ranks other than 0 send only after they have received. */
  readonly inTurns?: boolean;
  /** Copies messages with put(), wakes all peers after the last one, and receives into memory of its own. */
  readonly together?: boolean;
  /** From this round on, this rank hangs: it neither sends nor receives. */
  readonly hangs?: { readonly rank: number; readonly round: number };
  /** How long a receive may wait; 20 s by default. */
  readonly timeoutMs?: number;
}

const { own, ranks, rounds, seed, memory, ports, mayBlock, blockMs, most, ...rest } = workerData as RelayTask;
const { inTurns = false, together = false, hangs, timeoutMs = 20_000 } = rest;

/** A sequence of pseudo-random numbers below 1, the same in all threads for the same seed. */
function random(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What `from` sends to `to` in a round: known to both. */
function content(from: number, to: number, round: number): Float32Array {
  const next = random(seed + 7919 * (from * ranks + to) + 104729 * round);
  const length = next() < 0.1 ? Math.floor(next() * most) : Math.floor(next() * 24);
  return Float32Array.from({ length }, (_, i) => from + i + round * (i + 1));
}

const pauses = random(seed ^ (own * 2654435761));
const sleeper = new Int32Array(new SharedArrayBuffer(4));
async function pause(): Promise<void> {
  const kind = pauses();
  if (kind < 0.01) await new Promise((resolve) => setTimeout(resolve, pauses() * 30));
  else if (kind < 0.03) Atomics.wait(sleeper, 0, 0, pauses() * 5);
  else if (kind < 0.2) for (let spin = pauses() * 20_000; spin > 0; spin--) sleeper[0] = 0;
}

/** Inside the transport: often long enough for a whole message of another thread. */
function pauseInside(): void {
  const kind = pauses();
  if (kind < 0.1) Atomics.wait(sleeper, 0, 0, 1 + pauses());
}

async function main(): Promise<void> {
  const transport = createSharedTransport(own, ports as never, {
    memory,
    mayBlock,
    blockMs,
    pause: pauseInside,
    timeoutMs,
  });
  const peers = Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => rank !== own);
  parentPort?.on('message', (asked) => {
    if (asked === 'how long') {
      parentPort?.postMessage({ waitedMs: transport.waitedMs() });
      return;
    }
    // Only now: the others may still need to be woken through the ports.
    transport.close('the relay has ended');
    parentPort?.close();
  });
  let waits = 0;
  for (let round = 0; round < rounds; round++) {
    if (hangs?.rank === own && hangs.round === round) return;
    const tag = `round ${round % 5}`;
    const send = async () => {
      for (const peer of peers) {
        await pause();
        const data = content(own, peer, round);
        if (!together || !transport.put?.(peer, tag, bitsOf(data))) transport.send(own, peer, tag, data);
      }
      transport.wake?.();
    };
    const answers = inTurns && own !== 0;
    if (!answers) await send();
    for (const peer of pauses() < 0.5 ? peers : peers.toReversed()) {
      await pause();
      const received = new Float32Array(content(peer, own, round).length);
      const space = together ? { data: received, bits: bitsOf(received) } : undefined;
      let data = transport.take?.(peer, own, tag, space);
      while (!data && transport.block?.()) data = transport.take?.(peer, own, tag, space);
      if (!data) {
        waits++;
        data = await transport.recv(peer, own, tag);
      }
      const wanted = content(peer, own, round);
      if (data.length !== wanted.length || data.some((value, i) => value !== wanted[i]))
        throw new Error(`round ${round}: rank ${own} received a wrong message from rank ${peer}`);
    }
    if (answers) await send();
  }
  parentPort?.postMessage({ done: rounds, waits });
}

main().catch((error: unknown) =>
  parentPort?.postMessage({ error: String(error), ...(error instanceof LockstepError ? error.details : {}) }),
);
