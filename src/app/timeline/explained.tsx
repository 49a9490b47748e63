/** The explanations beside the timeline's lanes: of the selection, and of the hovered item. */
import type { RefObject } from 'react';
import { centre } from '../draw/geometry';
import { Tooltip } from '../draw/tooltip';
import { useSize } from '../draw/use-surface';
import { useThrottled } from '../draw/use-throttled';
import type { Lanes } from '../lanes/use-lanes';
import type { LanesPicture } from '../lanes/use-lanes-picture';
import { useAppStore } from '../state/use-app';
import { type Selection, sameSelection, selectionOf } from './selection';
import { SelectionPanel } from './selection-panel';
import type { TimelineModel } from './timeline-model';

interface SelectedProps {
  readonly model: TimelineModel;
  readonly selection: Selection;
  readonly width: number;
  readonly view: RefObject<HTMLDivElement | null>;
  readonly lanes: Pick<Lanes<Selection>, 'reveal' | 'focus'>;
}

export function Selected({ model, selection, width, view, lanes }: SelectedProps) {
  const store = useAppStore();
  // Renders again when the window's size changes, which moves the lanes.
  useSize(view);
  const causes = model.causes(store.getState());
  if (!causes) return null;
  const item = model.scene?.items.find((i) => sameSelection(selectionOf(i), selection));
  const box = view.current?.getBoundingClientRect();
  if (!box) return null;
  return (
    <SelectionPanel
      lanes={box}
      causes={causes}
      selection={selection}
      side={item && centre(item.rect).x > width / 2 ? 'left' : 'right'}
      onSelect={(event) => lanes.reveal({ kind: 'event', event })}
      onClose={() => {
        lanes.reveal(undefined);
        lanes.focus();
      }}
    />
  );
}

interface PointedProps {
  readonly id: string;
  readonly model: TimelineModel;
  readonly picture: Pick<LanesPicture, 'onPainted' | 'canvas'>;
}

export function Pointed({ id, model, picture }: PointedProps) {
  const scene = useThrottled(picture.onPainted, () => model.scene, 120);
  const item = scene?.items.find((i) => i.id === id);
  const at = picture.canvas.current?.getBoundingClientRect();
  return item && at ? (
    <Tooltip tip={item.tip()} anchor={{ ...item.rect, x: item.rect.x + at.left, y: item.rect.y + at.top }} />
  ) : null;
}
