/**
 * The receives of one device: the messages that have arrived from each peer under each tag, the receives that wait for
 * them, and their timeouts. A receive is rejected if its peer is gone, or if it waits for longer than the process group
 * allows. Part of port-transport.ts.
 */
import { LockstepError } from '../../base/errors';
import type { DeviceIndex } from '../../protocol/trace';

interface Waiter {
  readonly peer: DeviceIndex;
  readonly sinceMs: number;
  resolve(data: Float32Array): void;
  reject(error: Error): void;
}

/** The messages under one tag and the receives that wait for them; one of the two is empty. */
interface Line {
  readonly arrived: Float32Array[];
  readonly waiting: Waiter[];
}

export interface Receives {
  /** Gives the message to the first receive that waits for it, or keeps it. */
  arrive(peer: DeviceIndex, message: { readonly tag: string; readonly data: Float32Array }): void;
  recv(peer: DeviceIndex, tag: string): Promise<Float32Array>;
  /** A message that has arrived. */
  take(peer: DeviceIndex, tag: string): Float32Array | undefined;
  /** The longest time that a receive has been waiting; undefined: none waits. */
  waitedMs(): number | undefined;
  /** Rejects all receives that wait for this peer, and later ones once its earlier messages have been received. */
  lose(peer: DeviceIndex): void;
  /** Rejects all waiting receives, and drops the messages that have arrived. */
  close(error: LockstepError): void;
}

/** In PyTorch's words: gloo's message has the address of the peer. */
const closedByPeer = (peer: DeviceIndex): LockstepError =>
  new LockstepError('rank-failed', `Connection closed by peer [cuda:${peer}]`, '', { device: peer });
const timedOut = (ms: number, own: DeviceIndex, peer: DeviceIndex): LockstepError =>
  new LockstepError('timeout', `Timed out waiting ${Math.round(ms)}ms for recv operation to complete`, '', {
    device: own,
    peer,
  });

/** `timeoutMs`: how long a receive of device `own` may wait; absent: for ever. */
export function createReceives(own: DeviceIndex, timeoutMs?: number): Receives {
  /** By peer, then by tag: looked up twice per message, so no combined key is built. */
  const lines = new Map<DeviceIndex, Map<string, Line>>();
  const gone = new Set<DeviceIndex>();
  let watch: ReturnType<typeof setTimeout> | undefined;
  const lineOf = (peer: DeviceIndex, tag: string): Line => {
    let ofPeer = lines.get(peer);
    if (!ofPeer) {
      ofPeer = new Map();
      lines.set(peer, ofPeer);
    }
    let line = ofPeer.get(tag);
    if (!line) {
      line = { arrived: [], waiting: [] };
      ofPeer.set(tag, line);
    }
    return line;
  };
  const allWaiting = (): Waiter[] =>
    [...lines.values()].flatMap((ofPeer) => [...ofPeer.values()].flatMap(({ waiting }) => waiting));
  /** Runs only while a receive waits, so that an idle group costs nothing. */
  const keepWatch = (limitMs: number) => {
    if (watch !== undefined) return;
    const look = () => {
      watch = undefined;
      const waiting = allWaiting();
      if (waiting.length === 0) return;
      const oldest = waiting.reduce((a, b) => (b.sinceMs < a.sinceMs ? b : a));
      const leftMs = oldest.sinceMs + limitMs - performance.now();
      if (leftMs > 0) watch = setTimeout(look, leftMs);
      else oldest.reject(timedOut(limitMs, own, oldest.peer));
    };
    watch = setTimeout(look, limitMs);
  };

  return {
    arrive(peer, { tag, data }) {
      const { arrived, waiting } = lineOf(peer, tag);
      const waiter = waiting.shift();
      if (waiter) waiter.resolve(data);
      else arrived.push(data);
    },
    recv(peer, tag) {
      const { arrived, waiting } = lineOf(peer, tag);
      const data = arrived.shift();
      if (data) return Promise.resolve(data);
      if (gone.has(peer)) return Promise.reject(closedByPeer(peer));
      if (timeoutMs !== undefined) keepWatch(timeoutMs);
      return new Promise((resolve, reject) => {
        waiting.push({ peer, sinceMs: performance.now(), resolve, reject });
      });
    },
    take: (peer, tag) => lineOf(peer, tag).arrived.shift(),
    waitedMs() {
      const waiting = allWaiting();
      return waiting.length === 0 ? undefined : performance.now() - Math.min(...waiting.map(({ sinceMs }) => sinceMs));
    },
    lose(peer) {
      gone.add(peer);
      for (const waiter of allWaiting()) if (waiter.peer === peer) waiter.reject(closedByPeer(peer));
    },
    close(error) {
      clearTimeout(watch);
      for (const waiter of allWaiting()) waiter.reject(error);
      lines.clear();
    },
  };
}
