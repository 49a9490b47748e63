/**
 * The drawing on a pad and its input: pointer and finger, or a pen that the arrow keys move and Space puts down. A
 * drawing changes many times a second, so it is kept outside React; `onChange` is called on every change.
 */
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { lookup } from '../../../base/lookup';
import { type DrawnPoint, type HandDrawing, withPoint, withStroke } from './strokes';

export interface HandPen {
  readonly at: DrawnPoint;
  readonly down: boolean;
}

export interface DrawingHands {
  readonly drawing: () => HandDrawing;
  /** The keyboard's pen. */
  readonly pen: () => HandPen;
  clear(): void;
  onPointerDown(event: PointerEvent): void;
  onPointerMove(event: PointerEvent): void;
  onPointerUp(event: PointerEvent): void;
  onKeyDown(event: KeyboardEvent): void;
}

const KEY_STEP = 0.045;
const MOVES: Readonly<Record<string, DrawnPoint>> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};
const PEN_START: HandPen = { at: [0.5, 0.2], down: false };

const within = (value: number) => Math.min(Math.max(value, 0.02), 0.98);

function placeOf(target: Element, event: { clientX: number; clientY: number }): DrawnPoint {
  const box = target.getBoundingClientRect();
  return [within((event.clientX - box.x) / box.width), within((event.clientY - box.y) / box.height)];
}

/** `by`: whether the stroke continues or has ended. */
export function useDrawing(onChange: (by: 'going' | 'done') => void): DrawingHands {
  const latest = useRef(onChange);
  latest.current = onChange;
  return useMemo(() => createHands((by) => latest.current(by)), []);
}

function createHands(onChange: (by: 'going' | 'done') => void): DrawingHands {
  let drawing: HandDrawing = [];
  let pen = PEN_START;
  const set = (next: HandDrawing, by: 'going' | 'done' = 'going') => {
    drawing = next;
    onChange(by);
  };
  const clear = () => {
    pen = PEN_START;
    set([], 'done');
  };
  const movePen = ([dx, dy]: DrawnPoint, fine: boolean) => {
    const step = fine ? KEY_STEP / 3 : KEY_STEP;
    const at: DrawnPoint = [within(pen.at[0] + dx * step), within(pen.at[1] + dy * step)];
    pen = { ...pen, at };
    set(pen.down ? withPoint(drawing, at) : drawing);
  };
  return {
    drawing: () => drawing,
    pen: () => pen,
    clear,
    onPointerDown(event) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      pen = { ...pen, down: false };
      set(withStroke(drawing, placeOf(event.currentTarget, event)));
    },
    onPointerMove(event) {
      const { currentTarget, nativeEvent } = event;
      if (!currentTarget.hasPointerCapture(event.pointerId)) return;
      const seen = nativeEvent.getCoalescedEvents();
      set(
        (seen.length > 0 ? seen : [nativeEvent]).reduce((all, e) => withPoint(all, placeOf(currentTarget, e)), drawing),
      );
    },
    onPointerUp: () => onChange('done'),
    onKeyDown(event) {
      const move = lookup(MOVES, event.key);
      if (move) movePen(move, event.shiftKey);
      else if (event.key === ' ') {
        pen = { ...pen, down: !pen.down };
        set(pen.down ? withStroke(drawing, pen.at) : drawing, pen.down ? 'going' : 'done');
      } else if (event.key === 'Delete' || event.key === 'Backspace') clear();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
