/** The planned memory of each device, by category, with its budget. */
import { Part } from '../base/part';
import { planMemory } from '../program/memory-planner';
import { deviceMemory } from '../program/memory-report';
import type { Config } from '../protocol/config';
import { halfOf, reduceHalf } from '../protocol/half-of';
import type { DeviceMemory } from '../protocol/trace';
import type { Blueprint } from './blueprint';

/** Whether the run computes, gathers or reduces in half precision. */
export const hasHalves = (config: Config): boolean => halfOf(config) !== undefined || reduceHalf(config) !== undefined;

/** Loaded for a run with half precision. */
export const FLOAT32_MEMORY = new Part('The memory in float32', () => import('./memory-in-float32'));
if (!globalThis.LOCKSTEP_SITE) await FLOAT32_MEMORY.load();

export function memoryOf(blueprint: Pick<Blueprint, 'config' | 'programs'>): readonly DeviceMemory[] {
  const budget = blueprint.config.memoryBudgetMb * 1024 * 1024;
  return [...planMemory(blueprint.programs).values()].map((plan) => deviceMemory(blueprint.programs, plan, budget));
}
