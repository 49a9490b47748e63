/**
 * What slows a rank down by hand: it rests after its work, so long that the work has taken `factor` times as long.
 * Others go on meanwhile, also where all share one thread, and messages arrive. Used by the executors of a lane by
 * itself; a slow link (port-transport.ts) rests, too.
 */
import { nowUs } from './clock';

/** Shorter rests are made up for later: a turn of the event loop takes as long. */
const LEAST_US = 50;
/** Timers are late by about that much. */
const TIMER_MS = 6;

/** Hands the thread over and comes back as soon as it may. */
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

/** After so much work: the rest that is due, if it is worth one. */
export type Brake = (workedUs: number) => Promise<void> | undefined;

export function createBrake(factor: number): Brake {
  let dueUs = 0;
  return (workedUs) => {
    dueUs += (factor - 1) * workedUs;
    if (dueUs < LEAST_US) return undefined;
    const us = dueUs;
    // One that took too long is not taken off the next: in one thread it is the others who made it long.
    dueUs = 0;
    return rest(us);
  };
}
