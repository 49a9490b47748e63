/**
 * The pipeline picture on the page: a canvas, one button that moves from cell to cell with the arrow keys, pointer and
 * wheel. The callers, the schedule's view and the editor, provide picture and marks.
 */
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Schedule } from '../../schedules/schedule';
import type { Rect } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { Tooltip } from '../draw/tooltip';
import { useInk } from '../draw/use-ink';
import { useMedia } from '../draw/use-media';
import { useSize } from '../draw/use-surface';
import lanes from '../lanes/lanes.module.css';
import { reveal, type ViewWindow } from '../lanes/view-window';
import type { App } from '../state/app-state';
import { useAppStore } from '../state/use-app';
import { type PictureMarks, type PictureParts, type PictureScene, paintPicture } from './paint-picture';
import { findItem, itemBeside, type PictureItem } from './picture-items';
import { layoutPicture, type PictureLayout, scaleOf, stretchIn } from './picture-layout';
import { itemTip } from './picture-tip';
import styles from './pipeline.module.css';
import { type Grip, usePicturePointer } from './use-picture-pointer';

/**
 * On such screens the panel's height is fixed by the page; on others the page scrolls and the panel takes the height it
 * needs.
 */
const ONE_SCREEN = '(min-width: 721px) and (min-height: 600px)';

export interface PictureFigureProps {
  /** The canvas's label; the table beside it describes the content. */
  readonly label: string;
  readonly parts: PictureParts;
  /** The schedule of the picture. */
  readonly schedule: Schedule;
  readonly items: readonly (readonly PictureItem[])[];
  readonly view: ViewWindow;
  readonly onView: (view: ViewWindow) => void;
  readonly focused: string | undefined;
  readonly onFocus: (id: string) => void;
  readonly onPick: (item: PictureItem) => void;
  /** The accessible name of the focused item's button. */
  readonly nameOf: (item: PictureItem) => string;
  readonly marks: (app: App, pointed: PictureItem | undefined) => PictureMarks;
  /** Returns true if the caller handled the key. */
  readonly onKey?: (event: KeyboardEvent, item: PictureItem) => boolean;
  /** Lets the user drag cells; without a grip, dragging moves the view. */
  readonly grip?: Grip;
  /** Paints over the finished picture. */
  readonly paintOver?: (ink: Ink, scene: PictureScene) => void;
  readonly children?: ReactNode;
}

export function PictureFigure(props: PictureFigureProps) {
  const { parts, items, view, onView, focused, onFocus, onPick, marks, paintOver } = props;
  const { picture } = parts;
  const store = useAppStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const hand = useRef<HTMLDivElement>(null);
  const room = useSize(place);
  const oneScreen = useMedia(ONE_SCREEN);
  const embed = useAppStore().getState().embed;
  const own = oneScreen && !embed && room.height > 0 ? room.height : undefined;
  const layout = useMemo(() => layoutPicture(room.width, picture.rows.length, own), [room.width, picture, own]);
  const { width, height } = layout;
  const surface = useMemo(() => ({ width, height }), [width, height]);
  const scene = useMemo((): PictureScene => ({ ...parts, layout, view }), [parts, layout, view]);
  const [pointed, setPointed] = useState<string>();
  const draw = useCallback(
    (ink: Ink) => {
      paintPicture(ink, scene, marks(store.getState(), findItem(items, pointed)));
      paintOver?.(ink, scene);
    },
    [scene, marks, store, items, pointed, paintOver],
  );
  useInk(canvas, surface, draw);

  const hands = usePicturePointer(hand, {
    scene,
    items,
    scrolls: () => (place.current ? place.current.scrollHeight > place.current.clientHeight + 1 : false),
    onView,
    onPoint: (item) => setPointed(item?.id),
    onPick: (item) => {
      onFocus(item.id);
      onPick(item);
    },
    grip: props.grip,
  });
  const shown = findItem(items, focused) ?? items[0]?.[0];
  const go = (item: PictureItem) => {
    onFocus(item.id);
    const length = picture.to - picture.from;
    const share = (time: number) => (length > 0 ? (time - picture.from) / length : 0);
    onView(reveal(view, share(item.start), share(item.end)));
  };
  const pointedItem = findItem(items, pointed);
  const tip = pointedItem && itemTip(pointedItem, picture, props.schedule);
  const pointedRect = pointedItem && rectOfItem(layout, scene, pointedItem);
  const corner = canvas.current?.getBoundingClientRect();
  return (
    <div ref={place} className={lanes['view']}>
      <div className={lanes['lanes']} style={{ height }}>
        <canvas ref={canvas} role="img" aria-label={props.label} style={{ width, height }} />
        <div ref={hand} className={lanes['hand']} {...hands} />
        {shown && (
          <FocusedItem
            item={shown}
            rect={rectOfItem(layout, scene, shown)}
            name={props.nameOf(shown)}
            isFocused={focused !== undefined}
            onPick={() => onPick(shown)}
            onKeyDown={(event) => {
              if (props.onKey?.(event, shown)) return;
              const next =
                event.altKey || event.ctrlKey || event.metaKey ? undefined : itemBeside(items, shown, event.key);
              if (!next) return;
              event.preventDefault();
              go(next);
            }}
            place={place}
          />
        )}
        {props.children}
      </div>
      {tip && pointedRect && corner && (
        <Tooltip tip={tip} anchor={{ ...pointedRect, x: pointedRect.x + corner.left, y: pointedRect.y + corner.top }} />
      )}
    </div>
  );
}

export function rectOfItem(
  layout: PictureLayout,
  { picture, view }: PictureScene,
  item: PictureItem,
): Rect | undefined {
  const row = layout.rows[item.rank];
  return row && stretchIn(layout, row.cells, scaleOf(layout, picture, view), item);
}

interface FocusedItemProps {
  readonly item: PictureItem;
  readonly rect: Rect | undefined;
  readonly name: string;
  /** Whether the user has focused or pressed the picture; before that, the focus waits at the first cell. */
  readonly isFocused: boolean;
  readonly onPick: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly place: RefObject<HTMLDivElement | null>;
}

/**
 * The picture's only Tab stop. Each item gets a new button, so that a screen reader announces the focused item; the
 * pointer passes through it.
 */
function FocusedItem({ item, rect, name, isFocused, onPick, onKeyDown, place }: FocusedItemProps) {
  const button = useRef<HTMLButtonElement>(null);
  const had = useRef(false);
  // A layout effect, so that the next key does not arrive between two buttons.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the item, whatever else is drawn anew
  useLayoutEffect(() => {
    if (!had.current || !isFocused) return;
    button.current?.focus({ preventScroll: true });
    const [view, own] = [place.current?.getBoundingClientRect(), button.current?.getBoundingClientRect()];
    if (!view || !own || !place.current) return;
    if (own.bottom > view.bottom) place.current.scrollTop += own.bottom - view.bottom + 8;
    else if (own.top < view.top + 20) place.current.scrollTop -= view.top + 20 - own.top;
  }, [item.id]);
  const at = rect ?? { x: 0, y: 0, width: 1, height: 1 };
  return (
    <button
      key={item.id}
      ref={button}
      type="button"
      className={styles['focused']}
      aria-label={name}
      style={{ left: at.x, top: at.y, width: Math.max(6, at.width - 1), height: at.height }}
      onFocus={() => {
        had.current = true;
      }}
      onBlur={(event) => {
        // A button that is replaced by the next one loses the focus without a related target.
        if (event.relatedTarget !== null) had.current = false;
      }}
      onClick={onPick}
      onKeyDown={onKeyDown}
    />
  );
}
