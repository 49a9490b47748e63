/**
 * The memory that a half-precision run would need in float32: compiles its Programs again without autocast and without
 * fully_shard's MixedPrecisionPolicy, and plans them. Loaded only for such runs; called by headless/session-info.ts.
 */
import { planMemory } from '../program/memory-planner';
import { deviceMemory } from '../program/memory-report';
import type { MemoryByKind } from '../protocol/session-info';
import type { Blueprint } from './blueprint';

export function memoryInFloat32({ config, input, facets, programs }: Blueprint): readonly MemoryByKind[] {
  const sharded = { ...config.sharded, paramDtype: 'float32', reduceDtype: 'float32' } as const;
  const full = { ...input, config: { ...config, precision: 'float32', sharded } as const };
  // Programs that run outside steps move parameters and states, which autocast does not change.
  const compiled = programs.map((program) =>
    program.kind.type === 'training' ? facets.compiler.compile(full, program.kind) : program,
  );
  return [...planMemory(compiled).values()].map((plan) => {
    const { device, peakBytes, byCategory } = deviceMemory(compiled, plan, 0);
    return { device, peakBytes, byCategory };
  });
}
