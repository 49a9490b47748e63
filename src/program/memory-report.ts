/**
 * The memory plan of a device for readers: every allocation with its tensors, sums by category, and the error for a
 * Program that does not fit. The entries add up to the plan, byte for byte. Called by `session`; the plan itself is
 * memory-planner.ts.
 */
import { LockstepError } from '../base/errors';
import { must } from '../base/invariant';
import { namedSettings } from '../base/refused-settings';
import { programKey } from '../protocol/step-kind';
import {
  type DeviceIndex,
  type DeviceMemory,
  MEMORY_CATEGORIES,
  type MemoryCategory,
  type MemoryEntry,
} from '../protocol/trace';
import type { Program } from './instruction';
import { alignedBytes, type DevicePlan, planMemory } from './memory-planner';

/**
 * A persistent tensor has its own entry; tensors that share a slot one after the other are one entry with the size of
 * the largest.
 */
export function memoryEntries(programs: readonly Program[], plan: DevicePlan): readonly MemoryEntry[] {
  const entries = new Map<
    string,
    { category: MemoryCategory; bytes: number; largest: number; tensors: Set<string>; onHost: boolean }
  >();
  for (const program of programs) {
    const lane = program.lanes.find((l) => l.device === plan.device);
    const place = plan.placements.get(programKey(program.kind));
    for (const spec of lane?.buffers ?? []) {
      const { region } = must(place?.get(spec.name), spec.name);
      const key = spec.persistent ? `tensor ${spec.name}` : `slot ${region}`;
      const bytes = alignedBytes(spec);
      const entry = entries.get(key) ?? {
        category: spec.category,
        bytes: spec.persistent ? bytes : must(plan.regions[region], 'region').bytes,
        largest: 0,
        tensors: new Set<string>(),
        onHost: spec.onHost === true,
      };
      if (bytes > entry.largest) Object.assign(entry, { category: spec.category, largest: bytes });
      entry.tensors.add(spec.persistent ? spec.name : (spec.insteadOf ?? spec.name));
      entries.set(key, entry);
    }
  }
  return [...entries.values()]
    .map(({ category, bytes, tensors, onHost }) => ({
      ...{ category, bytes, tensors: [...tensors] },
      ...(onHost ? { onHost } : {}),
    }))
    .sort((a, b) => b.bytes - a.bytes);
}

export function deviceMemory(programs: readonly Program[], plan: DevicePlan, budgetBytes: number): DeviceMemory {
  const entries = memoryEntries(programs, plan);
  const total = (category: MemoryCategory): number =>
    entries.reduce((sum, entry) => (entry.category === category && !entry.onHost ? sum + entry.bytes : sum), 0);
  const hostBytes = entries.reduce((sum, entry) => (entry.onHost ? sum + entry.bytes : sum), 0);
  const byCategory = Object.fromEntries(MEMORY_CATEGORIES.map((c) => [c, total(c)])) as Record<MemoryCategory, number>;
  const ofHost = hostBytes > 0 ? { hostBytes } : {};
  return { device: plan.device, budgetBytes, peakBytes: plan.bytes - hostBytes, ...ofHost, byCategory, entries };
}

/**
 * Refuses a set of Programs that needs more memory on some device than its budget, in PyTorch's words, with the largest
 * tensors and advice.
 */
export function verifyMemory(programs: readonly Program[], budgetBytes: number): void {
  if (mostBytes(programs) <= budgetBytes) return;
  for (const [device, plan] of planMemory(programs)) {
    if (plan.bytes <= budgetBytes) continue;
    const { peakBytes: bytes, byCategory, entries } = deviceMemory(programs, plan, budgetBytes);
    if (bytes <= budgetBytes) continue;
    const parts = MEMORY_CATEGORIES.filter((c) => byCategory[c] > 0)
      .sort((a, b) => byCategory[b] - byCategory[a])
      .map((c) => `${c} ${formatBytes(byCategory[c])}`);
    const settings = { memoryBudgetMb: budgetBytes / (1 << 20) };
    const largest = entries
      .filter(({ onHost }) => !onHost)
      .slice(0, 3)
      .map((entry) => `${entry.tensors[0]} ${formatBytes(entry.bytes)}`);
    throw new LockstepError(
      'memory',
      `${namedSettings(settings)}: CUDA out of memory. The step needs ${formatBytes(bytes)} on GPU ${device} (${formatBytes(budgetBytes)} total capacity): ${parts.join(', ')}. Largest: ${largest.join(', ')}.`,
      remedy(byCategory),
      { settings, device, neededBytes: bytes, budgetBytes, byCategory, largest: entries.slice(0, 10) },
    );
  }
}

/** The bytes that the largest device would need if no two buffers shared memory: an upper bound of every plan. */
export function mostBytes(programs: readonly Program[]): number {
  const bytes = new Map<DeviceIndex, number>();
  const persistent = new Map<DeviceIndex, Set<string>>();
  for (const { lanes } of programs) {
    for (const { device, buffers } of lanes) {
      const counted = persistent.get(device) ?? new Set();
      persistent.set(device, counted);
      let sum = bytes.get(device) ?? 0;
      for (const spec of buffers) {
        if (spec.persistent && counted.has(spec.name)) continue;
        if (spec.persistent) counted.add(spec.name);
        sum += alignedBytes(spec);
      }
      bytes.set(device, sum);
    }
  }
  return Math.max(0, ...bytes.values());
}

/** The advice depends on what takes the most memory. */
function remedy(bytes: Readonly<Record<MemoryCategory, number>>): string {
  const perStep = bytes.activation + bytes.data;
  const state = bytes.parameter + bytes.gradient + bytes.optimizer + bytes.buffer;
  const moved = bytes.unsharded + bytes.communication + bytes.bucket;
  if (moved > Math.max(perStep, state)) {
    if (bytes.unsharded > 0)
      return 'Gathered parameters and the messages that bring them take the most: cut fully_shard’s units smaller (sharded.modules), set sharded.stage to 3, or raise the memory budget.';
    return 'Buckets and messages take the most: set a smaller ddp.bucketCapMb, or raise the memory budget.';
  }
  if (perStep > state) {
    return 'Activations take the most: use a smaller batch, accumulate gradients over micro-batches, set checkpointSegments, or raise the memory budget.';
  }
  const adaptive = bytes.optimizer > bytes.parameter ? 'SGD keeps less state than Adam; ' : '';
  return `Parameters with their gradients and optimiser state take the most: ${adaptive}use fewer units or layers, spread the layers over more devices (modelParallel) or their shards over more ranks (sharded), or raise the memory budget.`;
}

const formatBytes = (bytes: number): string =>
  bytes < 1 << 20 ? `${(bytes / 1024).toFixed(2)} KiB` : `${(bytes / (1 << 20)).toFixed(2)} MiB`;
