/**
 * Bytes sent in a step, counted from the transfers of a trace or a Program: by directed link, by payload, by device.
 * Pure; the page and the report show them beside the closed form (formula.ts).
 */
import type { DeviceIndex, Payload, StepTrace, TraceEvent } from '../protocol/trace';
import { deviceCount } from './lanes';

export interface Traffic {
  /** By 'cuda:0->cuda:1'; unused links are missing. */
  readonly byLink: Readonly<Record<string, number>>;
  readonly byPayload: Readonly<Partial<Record<Payload, number>>>;
  /** Per device. */
  readonly sent: readonly number[];
  readonly received: readonly number[];
  readonly total: number;
}

export const linkName = (from: DeviceIndex, to: DeviceIndex): string => `cuda:${from}->cuda:${to}`;

/** The fields of sends and receives that are counted. */
export type Transferred = Pick<TraceEvent, 'kind' | 'device' | 'peer' | 'bytes' | 'payload'>;

/** Counts the sends of events 0..cursor; of the whole step by default. */
export function trafficOf(trace: StepTrace, cursor: number = trace.events.length - 1): Traffic {
  return countTraffic(trace.events.slice(0, cursor + 1), deviceCount(trace));
}

export function countTraffic(transfers: readonly Transferred[], devices: number): Traffic {
  const byLink = new Map<string, number>();
  const byPayload: Partial<Record<Payload, number>> = {};
  const sent = Array.from({ length: devices }, () => 0);
  const received = Array.from({ length: devices }, () => 0);
  let total = 0;
  for (const e of transfers) {
    if (e.peer === undefined) continue;
    if (e.kind === 'recv') received[e.device] = (received[e.device] ?? 0) + e.bytes;
    if (e.kind !== 'send') continue;
    const link = linkName(e.device, e.peer);
    byLink.set(link, (byLink.get(link) ?? 0) + e.bytes);
    if (e.payload) byPayload[e.payload] = (byPayload[e.payload] ?? 0) + e.bytes;
    sent[e.device] = (sent[e.device] ?? 0) + e.bytes;
    total += e.bytes;
  }
  return { byLink: Object.fromEntries(byLink), byPayload, sent, received, total };
}
