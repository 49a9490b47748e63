/**
 * The memory of one rank at each event of a step, and the memory that DDP would need; drawn by memory-curve.tsx. Pure.
 */
import type { SessionInfo, ShardingInfo } from '../../../protocol/session-info';
import type { BufferInfo, DeviceIndex, StepTrace } from '../../../protocol/trace';
import { type MemoryOverTime, type MemoryUse, memoryOf, totalBytes } from '../../../trace/memory';
import { keptAt, STAGES } from './zero-stages';

export interface MemoryPoint {
  /** Index into the trace. */
  readonly event: number;
  readonly use: MemoryUse;
  /** The bytes without sharding: the whole model with its states, and the same activations. */
  readonly ghost: number;
}

export interface StepCurve {
  readonly points: readonly MemoryPoint[];
  readonly peak: number;
  readonly ghostPeak: number;
}

interface CurveOf {
  readonly memory: MemoryOverTime;
  readonly trace: StepTrace;
  readonly device: DeviceIndex;
  readonly sharding: ShardingInfo;
}

/** One point for each operator that the rank computes. */
export function curveOf({ memory, trace, device, sharding: { whole } }: CurveOf): StepCurve {
  const points = trace.events.flatMap((e, event): readonly MemoryPoint[] => {
    if (e.device !== device || e.kind !== 'compute') return [];
    const use = memory.at(device, event);
    const same = use.activation + use.data + use.buffer;
    return [{ event, use, ghost: whole.parameters + whole.gradients + whole.states + same }];
  });
  return {
    points,
    peak: Math.max(0, ...points.map(({ use }) => totalBytes(use))),
    ghostPeak: Math.max(0, ...points.map(({ ghost }) => ghost)),
  };
}

export interface ShownCurve extends StepCurve {
  /** The bytes of parameters, gradients and states by the ZeRO paper's formula. */
  readonly formula: number;
}

/** The rank whose memory is drawn. */
export const RANK = 0;

/** The curve of a step; undefined if the run is not sharded, or the rank computes nothing in the step. */
export function shownCurve(
  { buffers, config, sharding }: Pick<SessionInfo, 'buffers' | 'config' | 'sharding'>,
  trace: StepTrace,
): ShownCurve | undefined {
  if (!sharding) return undefined;
  const memory = memoryOf(trace, buffers.map(withoutPadding));
  const curve = curveOf({ memory, trace, device: RANK, sharding });
  if (curve.points.length === 0) return undefined;
  const kept = keptAt(STAGES[config.sharded.stage]?.stage ?? 3, sharding);
  return { ...curve, formula: kept.parameters + kept.gradients + kept.states };
}

/** The buffer with its tensor's own bytes, without the allocation's padding. */
const withoutPadding = (buffer: BufferInfo): BufferInfo => ({
  ...buffer,
  bytes: Math.min(
    buffer.bytes,
    buffer.shape.reduce((n, size) => n * size, buffer.half ? 2 : BYTES),
  ),
});

/** The bytes of a float32 element. */
const BYTES = 4;
