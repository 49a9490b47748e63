/** Memory of one rank at each event of a step, and what DDP would need then: see memory-curve.tsx. Pure. */
import type { ShardingInfo } from '../../../protocol/session-info';
import type { DeviceIndex, StepTrace } from '../../../protocol/trace';
import { type MemoryOverTime, type MemoryUse, totalBytes } from '../../../trace/memory';

export interface MemoryPoint {
  /** Index into the trace. */
  readonly event: number;
  readonly use: MemoryUse;
  /** Bytes without sharding: the whole model and its states, and the same activations. */
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
