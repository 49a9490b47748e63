/**
 * The headline numbers of a step, each from the trace: bytes sent beside the closed form, how much of the communication
 * is hidden, idle time, peak memory. The result panel shows them; numbers that depend on a clock name the clock.
 */
import type { ClosedForm } from '../protocol/closed-form';
import type { SessionInfo } from '../protocol/session-info';
import type { Clock, StepTrace } from '../protocol/trace';
import { closedFormOf, isSpoken } from './formula';
import { type TimeUse, timeUse } from './idle';
import { deviceCount, totalUs } from './lanes';
import { countTraffic, type Traffic, trafficOf } from './links';
import { memoryOf } from './memory';

export interface Metrics {
  readonly clock: Clock;
  readonly stepUs: number;
  readonly traffic: Traffic;
  /** The largest number of bytes that one device sent. */
  readonly bytesPerRank: number;
  readonly formula: ClosedForm;
  /** Whether the counted bytes, without `bytesBeside`, equal the closed form. */
  readonly bytesAgree: boolean;
  /**
   * Bytes that the closed form does not cover: running statistics, SyncBatchNorm's sums, the used map, join's counts,
   * the norm for clipping. Over all ranks.
   */
  readonly bytesBeside: number;
  /** By device. */
  readonly use: readonly TimeUse[];
  /** Over all devices, 0..1; undefined without communication. */
  readonly overlap: number | undefined;
  /** Mean over the devices, 0..1. */
  readonly idle: number;
  /** Mean over the devices. */
  readonly shares: StepShares;
  /**
   * Per device, the most bytes of live tensors at a time: torch.cuda.max_memory_allocated(). The run's allocation is
   * DeviceMemory.peakBytes.
   */
  readonly allocatedBytes: readonly number[];
}

/**
 * Where the time of a step goes on a device; the three parts add up to 1, and `idle` is `idleForOthers` and `idleDone`.
 */
export interface StepShares {
  readonly computing: number;
  /** A transfer of the device runs, and no computation. */
  readonly waitingForCommunication: number;
  /** Neither transfer nor computation. */
  readonly idle: number;
  /** Before its part of the step is done: it waits for another device. */
  readonly idleForOthers: number;
  readonly idleDone: number;
}

export function sharesOf(uses: readonly TimeUse[]): StepShares {
  const mean = (of: (use: TimeUse) => number): number =>
    uses.reduce((sum, use) => sum + (use.totalUs > 0 ? of(use) / use.totalUs : 0), 0) / Math.max(1, uses.length);
  return {
    computing: mean((u) => u.computeUs),
    waitingForCommunication: mean((u) => u.exposedUs),
    idle: mean((u) => u.idleUs),
    idleForOthers: mean((u) => u.idleUs - u.doneUs),
    idleDone: mean((u) => u.doneUs),
  };
}

export function metricsOf(trace: StepTrace, clock: Clock, info: SessionInfo): Metrics {
  const traffic = trafficOf(trace);
  const formula = closedFormOf(info.closedForms, trace.kind) ?? counted(traffic);
  const spoken = countTraffic(
    trace.events.filter((e) => isSpoken(formula, e)),
    deviceCount(trace),
  );
  const devices = Array.from({ length: deviceCount(trace) }, (_, device) => device);
  const use = devices.map((device) => timeUse(trace, clock, device));
  const sum = (of: (u: TimeUse) => number): number => use.reduce((total, u) => total + of(u), 0);
  const commUs = sum((u) => u.commUs);
  const memory = memoryOf(trace, info.buffers);
  return {
    clock,
    stepUs: totalUs(trace, clock),
    traffic,
    bytesPerRank: Math.max(0, ...traffic.sent),
    formula,
    bytesAgree: bytesAgree(spoken, formula),
    bytesBeside: traffic.total - spoken.total,
    use,
    overlap: commUs > 0 ? sum((u) => u.overlapUs) / commUs : undefined,
    idle: use.length > 0 ? sum((u) => u.idle) / use.length : 0,
    shares: sharesOf(use),
    allocatedBytes: devices.map((device) => memory.peak(device).bytes),
  };
}

/** Stands in if the mode has no closed form. */
const counted = ({ sent, total }: Traffic): ClosedForm => ({
  perDevice: sent,
  total,
  exact: true,
  text: 'as counted, without a closed form',
  speaksOf: 'everything',
});

/** A ring rounds its chunks, so only its total is exact; a mean as a float may differ minimally. */
export function bytesAgree({ sent, total }: Pick<Traffic, 'sent' | 'total'>, formula: ClosedForm): boolean {
  if (Math.abs(total - formula.total) > 1e-6 * Math.max(1, total)) return false;
  return !formula.exact || formula.perDevice.every((bytes, device) => bytes === (sent[device] ?? 0));
}
