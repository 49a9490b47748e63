/**
 * Time for tests of timeouts and watchdogs: it does not move while anything is under way and goes on to the next timer
 * when nothing is. So however long the machine pauses, nobody is late who is not meant to be, and a timeout takes no
 * time. For work within this thread: promises, timers, MessagePorts; not for files, fetched modules or real workers.
 */
import { vi } from 'vitest';

/** Turns of the event loop: a message takes one, and the longest collective of these tests some dozens. */
const TURNS = 200;

/** Whatever goes from promise to promise and over MessagePorts has come to its end, or waits for a timer. */
export async function untilIdle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export async function onStillClock<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  try {
    let over = false;
    const result = work().finally(() => {
      over = true;
    });
    // It is awaited below.
    result.catch(() => {});
    while (!over) {
      await untilIdle();
      if (!over) await vi.advanceTimersToNextTimerAsync();
    }
    return await result;
  } finally {
    vi.useRealTimers();
  }
}
