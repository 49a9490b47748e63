/**
 * The interaction with lanes over time: pointer, wheel and keys change the window, and keys move the selection. The
 * lanes scroll and zoom to a selection that keys or the search have made. Each timeline supplies its lanes, its
 * selection and further keys.
 */
import { type KeyboardEvent, type RefObject, useRef } from 'react';
import type { HitItem } from '../draw/hit-regions';
import type { LanesModel } from './lanes';
import { lanesKeyDown } from './lanes-keys';
import type { LanesPicture } from './use-lanes-picture';
import { useLanesPointer } from './use-lanes-pointer';
import { reveal, type ViewWindow, zoomedBy } from './view-window';

interface LanesUse<Item extends HitItem, Chosen> {
  readonly model: LanesModel<Item>;
  readonly picture: Pick<LanesPicture, 'view' | 'request'>;
  readonly selection: Chosen | undefined;
  select(chosen: Chosen | undefined): void;
  /** The stretch of a selection, as shares of the whole time; undefined without lanes. */
  stretchOf(chosen: Chosen): ViewWindow | undefined;
  /** Scrolls to the lane of a selection. */
  scrollTo(chosen: Chosen): void;
  /** Keys beyond those that zoom, fit and search. */
  keys(event: KeyboardEvent): Readonly<Record<string, () => void>>;
  /** Left out: there is no cursor, and a drag pans. */
  onScrub?(x: number): void;
  /** A press; undefined if it hit nothing. */
  onPick(item: Item | undefined, x: number): void;
  onPoint(item: Item | undefined): void;
}

export interface Lanes<Chosen> {
  /** The element that receives pointer and keys. */
  readonly hand: RefObject<HTMLDivElement | null>;
  /** The field of the search. */
  readonly field: RefObject<HTMLInputElement | null>;
  readonly listeners: ReturnType<typeof useLanesPointer> & { onKeyDown(event: KeyboardEvent): void };
  readonly show: (view: ViewWindow) => void;
  /** > 1: larger; 0: everything. */
  readonly zoomBy: (factor: number) => void;
  /** Selects, and brings the selection into view. */
  readonly reveal: (chosen: Chosen | undefined) => void;
  readonly focus: () => void;
}

export function useLanes<Item extends HitItem, Chosen>(use: LanesUse<Item, Chosen>): Lanes<Chosen> {
  const { model, picture, selection, select, stretchOf, scrollTo, keys } = use;
  const hand = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const { view } = picture;
  const show = (next: ViewWindow) => {
    model.view = next;
    picture.request();
  };
  const pointer = useLanesPointer(hand, {
    model,
    top: () => view.current?.scrollTop ?? 0,
    scrolls: () => view.current !== null && view.current.scrollHeight > view.current.clientHeight + 1,
    onView: show,
    onPick: use.onPick,
    onPoint: use.onPoint,
    ...(use.onScrub && { onScrub: use.onScrub }),
  });
  const onKeyDown = lanesKeyDown({
    model,
    show,
    selected: () => selection && stretchOf(selection),
    search: () => field.current?.focus(),
    own: (event) => ({ ...(selection && { Escape: () => select(undefined) }), ...keys(event) }),
  });
  return {
    hand,
    field,
    listeners: { ...pointer, onKeyDown },
    show,
    zoomBy: (factor) => show(zoomedBy(model.view, factor, model.smallest)),
    reveal(next) {
      select(next);
      if (!next) return;
      const stretch = stretchOf(next);
      if (stretch) show(reveal(model.view, stretch.from, stretch.to, model.smallest));
      scrollTo(next);
    },
    focus: () => hand.current?.focus(),
  };
}
