/** Memory of each device as the planner laid it out, by category, against the budget. */
import { planMemory } from '../program/memory-planner';
import { deviceMemory } from '../program/memory-report';
import type { DeviceMemory } from '../protocol/trace';
import type { Blueprint } from './blueprint';

export function memoryOf(blueprint: Blueprint): readonly DeviceMemory[] {
  const budget = blueprint.config.memoryBudgetMb * 1024 * 1024;
  return [...planMemory(blueprint.programs).values()].map((plan) => deviceMemory(blueprint.programs, plan, budget));
}
