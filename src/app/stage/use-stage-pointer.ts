/**
 * Pointing at the stage's items and choosing them: the hovered item, the item whose tooltip stays open, the tab chosen
 * last, and the room shown large. Used by stage.tsx, whose list of items does the same by keyboard.
 */
import { type MouseEvent, useCallback, useEffect, useState } from 'react';
import { bottom, right } from '../draw/geometry';
import { hitTest } from '../draw/hit-regions';
import { useApp, useAppStore } from '../state/use-app';
import type { ChosenTab, SceneItem } from './scene-types';
import { LARGE_ROOM, type StageModel } from './stage-model';

const FINGER = 12;
const MOUSE = 3;

interface Held {
  readonly id: string;
  /** Whether the item's event is pinned on the whole page. */
  readonly pin: boolean;
}

export function useStagePointer(model: StageModel) {
  const store = useAppStore();
  const [pointed, setPointed] = useState<string>();
  const [held, setHeld] = useState<Held>();
  const [tab, setTab] = useState<ChosenTab>();
  const [opened, setOpened] = useState<number>();
  const pinned = useApp((app) => app.pinned);
  const point = useCallback(
    (item: SceneItem | undefined) => {
      setPointed(item?.id);
      store.getState().hover(item?.event);
    },
    [store],
  );
  const open = (device: number) => {
    // The hovered item is in the large room, too, and its tooltip would cover the picture.
    point(undefined);
    LARGE_ROOM.load().then(
      () => setOpened(device),
      () => undefined,
    );
  };
  const act = (item: SceneItem | undefined) => {
    if (item?.opensRoom !== undefined) return open(item.opensRoom);
    if (item === undefined || item.closesRoom) setOpened(undefined);
    setHeld((old) =>
      item === undefined || old?.id === item.id ? undefined : { id: item.id, pin: item.event !== undefined },
    );
    store.getState().pin(item?.event);
    if (item?.showsTab) setTab(item.showsTab);
    if (item?.opensMemory) store.getState().showMemory(item.device);
  };
  const under = (event: MouseEvent): SceneItem | undefined => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const at = { x: event.clientX - left, y: event.clientY - top };
    return hitTest(model.scene?.items ?? [], at, isTouch(event.nativeEvent) ? FINGER : MOUSE);
  };
  // Esc, or a step to another trace, removes the pin, and with it the tooltip.
  const tipOf = held && (!held.pin || pinned !== undefined) ? held.id : undefined;
  useEffect(() => {
    if (opened === undefined) return undefined;
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setOpened(undefined);
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [opened]);
  const hands = {
    onPointerDown: (event: MouseEvent) => point(under(event)),
    onPointerMove: (event: MouseEvent) => point(under(event)),
    onPointerLeave: () => point(undefined),
    onClick: (event: MouseEvent) => {
      const item = under(event);
      // In a room without words, items are too small for a finger, so a press anywhere opens the room.
      const level = item && opened === undefined ? model.scene?.rooms[item.device]?.frame.level : undefined;
      if (item && level === 'glyph' && isTouch(event.nativeEvent) && inRoom(item, model.scene)) open(item.device);
      else act(item);
    },
  };
  return { pointed, open: tipOf, tab, opened, point, act, hands };
}

/** Whether the item is in its device's room, and not a packet that flies past. */
function inRoom({ rect, device }: SceneItem, scene: StageModel['scene']): boolean {
  const room = scene?.rooms[device]?.rect;
  return (
    room !== undefined && rect.x >= room.x - 1 && right(rect) <= right(room) + 1 && bottom(rect) <= bottom(room) + 1
  );
}

const isTouch = (event: object): boolean => 'pointerType' in event && event.pointerType === 'touch';
