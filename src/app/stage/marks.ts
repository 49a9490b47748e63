/**
 * Which items of the scene stand for an event, so that an event hovered or pinned anywhere on the page lights up here.
 * Pure.
 */
import type { TraceEvent } from '../../protocol/trace';
import type { SceneItem, StageScene } from './scene-types';

export function itemsOfEvent(
  scene: StageScene,
  event: number | undefined,
  events: readonly TraceEvent[],
): readonly SceneItem[] {
  if (event === undefined) return [];
  const found = scene.items.filter((item) => item.event === event || item.alsoEvent === event);
  if (found.length > 0) return found;
  // What it wrote is not on the stage, or not yet: its device stands for it.
  const device = events[event]?.device;
  return scene.items.filter((item) => item.device === device && item.id === `${device} device`);
}
