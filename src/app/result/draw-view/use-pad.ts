/**
 * The canvas of the drawing pad: the strokes, and the pen while the pad has the keyboard's focus. Used by
 * draw-view.tsx.
 */
import { type FocusEvent, type KeyboardEvent, useCallback, useRef, useState } from 'react';
import { usePalette } from '../../draw/canvas-context';
import { useSurface } from '../../draw/use-surface';
import { paintPad } from './paint-pad';
import type { DrawingHands } from './use-drawing';

const SIDE = 164;
export const PAD_SIZE = { width: SIDE, height: SIDE };

export function usePad(hands: DrawingHands) {
  const pad = useRef<HTMLCanvasElement>(null);
  const [focused, setFocused] = useState(false);
  const palette = usePalette();
  const { request: repaint } = useSurface(
    pad,
    PAD_SIZE,
    useCallback(
      ({ context }) =>
        paintPad(context, { side: SIDE, drawing: hands.drawing(), pen: focused ? hands.pen() : undefined, palette }),
      [hands, focused, palette],
    ),
  );
  const keyboard = {
    onKeyDown(event: KeyboardEvent) {
      // After drawing with the pointer, Space means Play.
      if (event.key === ' ' && !focused) return;
      if (event.key.startsWith('Arrow')) setFocused(true);
      hands.onKeyDown(event);
    },
    onFocus: (event: FocusEvent) => setFocused(event.currentTarget.matches(':focus-visible')),
    onBlur: () => setFocused(false),
  };
  return { pad, focused, keyboard, repaint };
}
