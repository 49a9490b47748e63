/** The explanations beside the timeline's lanes: of the selection, and of the hovered item. */
import type { RefObject } from 'react';
import { centre } from '../draw/geometry';
import { Tooltip } from '../draw/tooltip';
import { type Painted, useSize } from '../draw/use-surface';
import { useThrottled } from '../draw/use-throttled';
import { useAppStore } from '../state/use-app';
import { type Selection, sameSelection, selectionOf } from './selection';
import { SelectionPanel } from './selection-panel';
import type { TimelineModel } from './timeline-model';

interface SelectedProps {
  readonly model: TimelineModel;
  readonly selection: Selection;
  readonly width: number;
  readonly view: RefObject<HTMLDivElement | null>;
  readonly hand: RefObject<HTMLDivElement | null>;
  readonly onSelect: (selection: Selection | undefined) => void;
}

export function Selected({ model, selection, width, view, hand, onSelect }: SelectedProps) {
  const store = useAppStore();
  // Renders again when the window's size changes, which moves the lanes.
  useSize(view);
  const causes = model.causes(store.getState());
  if (!causes) return null;
  const item = model.scene?.items.find((i) => sameSelection(selectionOf(i), selection));
  const lanes = view.current?.getBoundingClientRect();
  if (!lanes) return null;
  return (
    <SelectionPanel
      lanes={lanes}
      causes={causes}
      selection={selection}
      side={item && centre(item.rect).x > width / 2 ? 'left' : 'right'}
      onSelect={(event) => onSelect({ kind: 'event', event })}
      onClose={() => {
        onSelect(undefined);
        hand.current?.focus();
      }}
    />
  );
}

interface PointedProps {
  readonly id: string;
  readonly model: TimelineModel;
  readonly onPainted: Painted['onPainted'];
  readonly canvas: HTMLCanvasElement | null;
}

export function Pointed({ id, model, onPainted, canvas }: PointedProps) {
  const scene = useThrottled(onPainted, () => model.scene, 120);
  const item = scene?.items.find((i) => i.id === id);
  const at = canvas?.getBoundingClientRect();
  return item && at ? (
    <Tooltip tip={item.tip()} anchor={{ ...item.rect, x: item.rect.x + at.left, y: item.rect.y + at.top }} />
  ) : null;
}
