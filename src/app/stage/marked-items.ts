/**
 * The items of the scene that represent an event, so that an event hovered or pinned anywhere on the page is marked on
 * the stage. Pure.
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
  // The event's result is not on the stage (yet), so its device is marked.
  const device = events[event]?.device;
  return scene.items.filter((item) => item.device === device && item.id === `${device} device`);
}
