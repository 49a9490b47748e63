/**
 * The transport between ranks in workers that share memory for messages. A short message goes through the ring between
 * the two devices, a long one, or one for which the ring has no room, through their port, so no sender ever waits.
 * Messages are numbered, so they stay in order. A receiver says in shared memory how it can be woken, and looks for
 * messages once more before it waits; a sender reads this after it has written, so no message is missed:
 *
 * - RUNS: the receiver will look by itself.
 * - BLOCKED: its thread sleeps in Atomics.wait, at most BLOCK_MS.
 * - LISTENS: it has returned to its event loop, and an empty message through the port wakes it.
 */
import { LockstepError } from '../../base/errors';
import { must } from '../../base/invariant';
import type { DeviceIndex } from '../../protocol/trace';
import { bitsOf } from '../../tensor/bits';
import { nowUs } from '../clock';
import type { MessageSpace } from '../executor';
import type { NumberedMessage } from './message-ring';
import type { PortTransport, PortTransportOptions } from './port-transport';
import { closePorts, type RankLink, type RankLinks } from './rank-links';
import { createReceives } from './receives';
import { mailOf, ringBetween, type SharedMemory, stateOf } from './shared-memory';
import { createSlowLink } from './slow-link';

const RUNS = 0;
const BLOCKED = 1;
const LISTENS = 2;
/** After this long, a blocked thread returns to its event loop, to answer the session and to notice lost peers. */
const BLOCK_MS = 20;
/** A thread that does not block for long still handles its events this often. */
const TURN_MS = 100;

interface PortMessage extends NumberedMessage {
  /** Only on a link that is slowed down. */
  readonly sentUs?: number;
  readonly factor?: number;
}

export interface SharedTransportOptions extends PortTransportOptions {
  readonly memory: SharedMemory;
  /** The thread has only this rank, so it may sleep. */
  readonly mayBlock: boolean;
  /** Default BLOCK_MS. */
  readonly blockMs?: number;
  /** Test hook: called where another thread could come between, after looking for messages and before waking. */
  readonly pause?: () => void;
}

/** `ports` leads from device `own` to each peer. */
export function createSharedTransport(
  own: DeviceIndex,
  ports: RankLinks,
  { memory, mayBlock, blockMs = BLOCK_MS, pause, timeoutMs, slowTo }: SharedTransportOptions,
): PortTransport {
  const states = new Int32Array(memory.states);
  const receives = createReceives(own, timeoutMs);
  let closed: LockstepError | undefined;
  let mailSeen = 0;
  let lastTurnMs = performance.now();
  /** The events of the thread must be handled before it may block again. */
  let mustTurn = false;
  const events = new MessageChannel();

  const peers = new Map(
    [...ports].map(([peer, port]) => {
      const incoming = ringBetween(memory, peer, own);
      const outgoing = ringBetween(memory, own, peer);
      /** Messages by port that are ahead of the ring's. */
      const early = new Map<number, PortMessage>();
      const slowly = createSlowLink();
      let received = 0;
      /** The next message in order, if it is here. */
      const next = (space?: MessageSpace): PortMessage | undefined => {
        const found: PortMessage | undefined = early.get(received) ?? incoming.read(received, space);
        if (!found) return undefined;
        early.delete(received);
        received = (received + 1) | 0;
        return found;
      };
      const arrive = (message: PortMessage) => {
        if (message.sentUs === undefined || message.factor === undefined) receives.arrive(peer, message);
        else slowly(message.sentUs, message.factor, () => receives.arrive(peer, message));
      };
      return [peer, { port, outgoing, early, next, arrive }] as const;
    }),
  );
  /** How many messages have been sent to each peer. */
  const sent = new Map<DeviceIndex, number>();
  const peerOf = (device: DeviceIndex) => must(peers.get(device), `a link from cuda:${own} to cuda:${device}`);

  /** Takes in all messages that are here. Returns whether there were any. */
  const look = (): boolean => {
    let found = false;
    for (const { next, arrive } of peers.values())
      for (let message = next(); message; message = next()) {
        arrive(message);
        found = true;
      }
    pause?.();
    return found;
  };
  /** From here on senders wake this device through a port. */
  const listen = () => {
    Atomics.store(states, stateOf(own), LISTENS);
    look();
  };
  const turned = () => {
    lastTurnMs = performance.now();
    mustTurn = false;
    if (!closed) listen();
  };
  events.port1.onmessage = turned;
  for (const [peer, { port, early }] of peers) {
    port.onmessage = ({ data }: MessageEvent<PortMessage | undefined>) => {
      if (data) {
        mailSeen = (mailSeen + 1) | 0;
        early.set(data.order, data);
      }
      turned();
    };
    // With this event (Node), a waiting rank notices by itself that the peer has died. Messages that the peer sent
    // before still count.
    port.addEventListener('close', () => {
      if (closed) return;
      look();
      receives.lose(peer);
    });
  }

  const wake = (device: DeviceIndex, port: RankLink) => {
    const state = stateOf(device);
    if (Atomics.load(states, state) === RUNS) return;
    const was = Atomics.exchange(states, state, RUNS);
    if (was === BLOCKED) Atomics.notify(states, state);
    else if (was === LISTENS) port.postMessage(undefined);
  };

  const take = (from: DeviceIndex, _to: DeviceIndex, tag: string, space?: MessageSpace): Float32Array | undefined => {
    if (closed) return undefined;
    const earlier = receives.take(from, tag);
    if (earlier) return earlier;
    const { next, arrive } = peerOf(from);
    for (let message = next(space); message; message = next(space)) {
      if (message.tag === tag && message.factor === undefined) return message.data;
      // Another receive waits for it, so the space must not be its memory.
      arrive(message.data === space?.data ? { ...message, data: message.data.slice() } : message);
    }
    return undefined;
  };
  /** Peers that have been sent a message and may sleep. */
  const toWake = new Map<DeviceIndex, RankLink>();
  const write = (to: DeviceIndex, tag: string, bits: Int32Array): boolean => {
    if (slowTo?.has(to) || !peerOf(to).outgoing.write(sent.get(to) ?? 0, tag, bits)) return false;
    sent.set(to, ((sent.get(to) ?? 0) + 1) | 0);
    pause?.();
    return true;
  };
  const block = (): boolean => {
    const state = stateOf(own);
    Atomics.store(states, state, BLOCKED);
    // All messages that were written before this moment are found here; later senders see BLOCKED.
    const found = look();
    const hasMail = Atomics.load(states, mailOf(own)) !== mailSeen;
    mustTurn = closed !== undefined || hasMail || performance.now() - lastTurnMs > TURN_MS;
    if (!found && !mustTurn) mustTurn = Atomics.wait(states, state, BLOCKED, blockMs) === 'timed-out';
    Atomics.store(states, state, RUNS);
    return !mustTurn;
  };

  return {
    send(_from, to, tag, data) {
      if (closed) return;
      const peer = peerOf(to);
      if (write(to, tag, bitsOf(data))) {
        wake(to, peer.port);
        return;
      }
      const order = sent.get(to) ?? 0;
      sent.set(to, (order + 1) | 0);
      const factor = slowTo?.get(to);
      const slow = factor === undefined ? {} : { factor, sentUs: nowUs() };
      peer.port.postMessage({ order, tag, data, ...slow }, [data.buffer as ArrayBuffer]);
      pause?.();
      Atomics.add(states, mailOf(to), 1);
      if (Atomics.load(states, stateOf(to)) === BLOCKED) wake(to, peer.port);
    },
    put(to, tag, bits) {
      if (closed) return true;
      if (!write(to, tag, bits)) return false;
      toWake.set(to, peerOf(to).port);
      return true;
    },
    wake() {
      if (toWake.size === 0) return;
      for (const [device, port] of toWake) wake(device, port);
      toWake.clear();
    },
    take,
    ...(mayBlock ? { block } : {}),
    recv(from, to, tag) {
      if (closed) return Promise.reject(closed);
      const here = take(from, to, tag);
      if (here) return Promise.resolve(here);
      const message = receives.recv(from, tag);
      if (mustTurn) events.port2.postMessage(undefined);
      else listen();
      return message;
    },
    waitedMs: () => receives.waitedMs(),
    close(reason) {
      closed ??= typeof reason === 'string' ? new LockstepError('rank-failed', reason) : reason;
      closePorts(ports);
      events.port1.close();
      receives.close(closed);
    },
  };
}
