/**
 * Slows a rank down artificially: it rests after its work until the work has taken `factor` times as long. Meanwhile
 * other ranks continue, even in the same thread, and messages arrive. Used by executors of a single lane; a slow link
 * (port-transport.ts) rests, too.
 */
import { nowUs } from './clock';

/** Shorter rests are collected until they are worth a turn of the event loop, which takes about this long. */
const LEAST_US = 50;
/** Timers are late by about that much. */
const TIMER_MS = 6;

/** Yields the thread for one turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

export async function rest(us: number): Promise<void> {
  const until = nowUs() + us;
  const timerMs = Math.floor(us / 1000) - TIMER_MS;
  if (timerMs > 0) await new Promise((resolve) => setTimeout(resolve, timerMs));
  while (nowUs() < until) await turn();
}

/** Returns the rest that is due after this much work, if it is long enough. */
export type Brake = (workedUs: number) => Promise<void> | undefined;

export function createBrake(factor: number): Brake {
  let dueUs = 0;
  return (workedUs) => {
    dueUs += (factor - 1) * workedUs;
    if (dueUs < LEAST_US) return undefined;
    const us = dueUs;
    // A rest that took too long does not shorten the next: in a shared thread the other ranks made it long.
    dueUs = 0;
    return rest(us);
  };
}
