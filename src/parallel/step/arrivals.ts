/**
 * Results of collectives that a lane has not waited for yet: its compute queue continues, and waits before the first
 * node that reads such a result. Used by walk.ts.
 */
import type { LaneBuilder, Where } from '../../program/lane-builder';

interface Arrival {
  /** Event of the communication queue. */
  readonly event: string;
  readonly where: Where;
}

export class Arrivals {
  private readonly byLane = new Map<LaneBuilder, Map<string, Arrival>>();

  /** The lane has to wait for everything so far on its communication queue before it reads the buffer. */
  expect(lane: LaneBuilder, buffer: string, where: Where): void {
    const event = lane.mark('comm');
    if (event === undefined) return;
    const own = this.byLane.get(lane) ?? new Map<string, Arrival>();
    this.byLane.set(lane, own);
    own.set(buffer, { event, where });
  }

  /** Waits for the pending results among these buffers; without an argument, for all pending results. */
  await(lane: LaneBuilder, buffers?: readonly string[]): void {
    const own = this.byLane.get(lane);
    if (!own) return;
    for (const buffer of buffers ?? [...own.keys()]) {
      const arrival = own.get(buffer);
      if (arrival === undefined) continue;
      lane.await(arrival.event, arrival.where);
      // The queue is in order, so all earlier results have arrived, too.
      for (const [name] of own) {
        own.delete(name);
        if (name === buffer) break;
      }
    }
  }
}
