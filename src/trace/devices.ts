/** The devices of a trace and what they are called: DDP's by their rank, all others as PyTorch names devices. */
import type { DeviceIndex, Rank, StepTrace } from '../protocol/trace';

/** Devices of the mesh, those without work included. */
export function deviceCount(trace: StepTrace): number {
  const highest = trace.events.reduce((most, event) => Math.max(most, event.device), -1);
  return Math.max(highest + 1, trace.samples.length, trace.initial.length);
}

export const cuda = (device: DeviceIndex): string => `cuda:${device}`;

/** Is there a process a device, as under DistributedDataParallel? */
export function hasRanks(trace: StepTrace): boolean {
  return trace.events.some((event) => event.rank !== 0);
}

export function rankOf(trace: StepTrace, device: DeviceIndex): Rank {
  return trace.events.find((event) => event.device === device)?.rank ?? 0;
}

/** 'rank 2' where processes have ranks, else 'cuda:2'. */
export function deviceName(trace: StepTrace, device: DeviceIndex): string {
  return hasRanks(trace) ? `rank ${rankOf(trace, device)}` : cuda(device);
}
