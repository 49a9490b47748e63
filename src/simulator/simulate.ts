/**
 * Times a Program on modelled hardware: an event simulation with two queues a device, in order; waits; a link for each direction of each pair of
 * devices. A send leaves when its link is free and occupies it; the receive spans from the moment its device is ready, or the message starts, to the
 * message's arrival and addition. Deterministic. Runs nothing.
 */
import { LockstepError } from '../base/errors';
import type { InstructionId, Program } from '../program/instruction';
import { costUs, messageUs } from './cost-model';
import type { Hardware } from './hardware';

export interface Timing {
  readonly startUs: number;
  readonly durUs: number;
}

export function simulate(program: Program, hardware: Hardware): ReadonlyMap<InstructionId, Timing> {
  const times = new Map<InstructionId, Timing>();
  const queues = program.lanes.flatMap(({ device, instructions }) =>
    (['compute', 'comm'] as const).map((queue) => ({ device, list: instructions.filter((i) => i.queue === queue), next: 0, freeUs: 0 })),
  );
  const events = new Map<string, number>();
  const messages = new Map<string, { startUs: number; arrivalUs: number }>();
  const linkFreeUs = new Map<string, number>();

  for (let moved = true; moved; ) {
    moved = false;
    for (const q of queues) {
      for (let i = q.list[q.next]; i; i = q.list[q.next]) {
        let startUs = q.freeUs;
        let endUs: number;
        if (i.kind === 'wait') {
          const setUs = events.get(`${q.device} ${i.event}`);
          if (setUs === undefined) break;
          endUs = Math.max(startUs, setUs);
        } else if (i.kind === 'recv') {
          const message = messages.get(i.tag);
          if (!message) break;
          startUs = Math.max(startUs, message.startUs);
          endUs = Math.max(startUs, message.arrivalUs) + costUs(i, hardware);
        } else if (i.kind === 'send') {
          const link = `${q.device}>${i.peer}`;
          startUs = Math.max(startUs, linkFreeUs.get(link) ?? 0);
          endUs = startUs + messageUs(i.bytes, hardware);
          linkFreeUs.set(link, endUs);
          messages.set(i.tag, { startUs, arrivalUs: endUs });
          times.set(i.id, { startUs, durUs: endUs - startUs });
          // The copy engine carries the message; the queue only had to start it.
          endUs = startUs;
        } else endUs = startUs + costUs(i, hardware);
        if (!times.has(i.id)) times.set(i.id, { startUs, durUs: endUs - startUs });
        if (i.signals) events.set(`${q.device} ${i.signals}`, endUs);
        q.freeUs = endUs;
        q.next++;
        moved = true;
      }
    }
  }
  if (queues.some((q) => q.next < q.list.length)) throw new LockstepError('program', 'The Program would hang; the verifier says where.');
  return times;
}

/** How long one step takes, and each device's share of it. */
export function modelledStep(program: Program, hardware: Hardware): { readonly stepUs: number; readonly busyUs: readonly number[] } {
  const times = simulate(program, hardware);
  let stepUs = 0;
  for (const { startUs, durUs } of times.values()) stepUs = Math.max(stepUs, startUs + durUs);
  const busyUs = program.lanes.map((lane) => lane.instructions.filter((i) => i.kind === 'compute').reduce((sum, i) => sum + (times.get(i.id)?.durUs ?? 0), 0));
  return { stepUs, busyUs };
}
