/**
 * Refuses models that this page or machine cannot hold before anything is allocated, because a failed allocation would
 * end the page or the process without a message. The devices' budgets (memoryBudgetMb) are checked in
 * program/memory-report.
 */
import { refusedSettings } from '../base/refused-settings';
import type { DeviceMesh } from '../mesh/device-mesh';
import type { Program } from '../program/instruction';
import { planMemory } from '../program/memory-planner';
import { mostBytes } from '../program/memory-report';
import type { Config } from '../protocol/config';
import { hostMemoryLimit, isPage } from '../runtime/host-memory';
import { parameterCount } from '../shapes/parameters';
import type { RankDraws } from './rank-starts';

const F32_BYTES = 4;
const gibibytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

const limitText = (limit: number): string =>
  `${isPage(limit) ? 'a page' : 'this machine'} can hold ${gibibytes(limit)}`;
const hint = (limit: number, change: string): string =>
  isPage(limit) ? `${change}, or train on the command line: lockstep train.` : `${change}.`;

/** Runs before the weights are drawn. The host draws all weights, and once per rank if seeds differ. */
export function checkDrawnWeights({ config, facets }: RankDraws, mesh: DeviceMesh, limit = hostMemoryLimit()): void {
  const { model } = config;
  const draws = (facets.processes.rankSeeds?.(config) ?? 'same') === 'same' ? 1 : mesh.worldSize;
  const parameters = model.layers.reduce((sum, layer) => sum + parameterCount(layer), 0);
  const bytes = F32_BYTES * parameters * draws;
  if (bytes <= limit) return;
  throw refusedSettings({
    code: 'memory',
    settings: { 'model.layers': model.layers },
    why: `the ${parameters.toLocaleString('en')} parameters take ${gibibytes(bytes)} on the host, and ${limitText(limit)}`,
    hint: hint(limit, 'Use fewer units or layers'),
    details: { neededBytes: bytes, limitBytes: limit },
  });
}

/** For the CPU device: the buffers of all devices are in one machine's memory. */
export function checkCpuMemory(
  { batchSize, worldSize, device }: Config,
  programs: readonly (readonly Program[])[],
  limit = hostMemoryLimit(),
): void {
  const atMost = (of: readonly Program[]): number => (of[0]?.lanes.length ?? 0) * mostBytes(of);
  if (programs.reduce((sum, of) => sum + atMost(of), 0) <= limit) return;
  const plans = programs.flatMap((of) => [...planMemory(of).values()]);
  const bytes = plans.reduce((sum, plan) => sum + plan.bytes, 0);
  if (bytes <= limit) return;
  throw refusedSettings({
    code: 'memory',
    settings: { device, batchSize, ...(plans.length > 1 ? { worldSize } : {}) },
    why: `training on the CPU takes ${gibibytes(bytes)} for ${plans.length > 1 ? `${plans.length} devices` : 'one device'}, and ${limitText(limit)}`,
    hint: hint(limit, 'Use a smaller model or batch, or fewer devices'),
    details: { neededBytes: bytes, limitBytes: limit },
  });
}
