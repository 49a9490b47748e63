/**
 * What a run in half precision would reserve in float32: its Programs compiled once more without autocast and without
 * the MixedPrecisionPolicy of fully_shard, and planned. Fetched for such runs alone; called by
 * headless/session-info.ts.
 */
import { planMemory } from '../program/memory-planner';
import { deviceMemory } from '../program/memory-report';
import type { MemoryByKind } from '../protocol/session-info';
import type { Blueprint } from './blueprint';

export function memoryInFloat32({ config, input, mode, programs }: Blueprint): readonly MemoryByKind[] {
  const sharded = { ...config.sharded, paramDtype: 'float32', reduceDtype: 'float32' } as const;
  const full = { ...input, config: { ...config, precision: 'float32', sharded } as const };
  // Programs beside the steps move parameters and states, which autocast leaves as they are.
  const compiled = programs.map((program) =>
    program.kind.type === 'training' ? mode.compile(full, program.kind) : program,
  );
  return [...planMemory(compiled).values()].map((plan) => {
    const { device, peakBytes, byCategory } = deviceMemory(compiled, plan, 0);
    return { device, peakBytes, byCategory };
  });
}
