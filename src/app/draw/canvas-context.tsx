/** The context of every canvas: the theme's colours, the frame scheduler, and a signal to redraw. */
import { createContext, type ReactNode, use } from 'react';
import { must } from '../../base/invariant';
import type { Frames } from './frames';
import type { Palette } from './theme';
import type { Subscribe } from './use-throttled';

export interface CanvasTools {
  /** A new object at each change of theme. */
  readonly palette: Palette;
  readonly frames: Frames;
  /** Subscribes to changes of what canvases show. */
  readonly changed: Subscribe;
}

const DrawingContext = createContext<CanvasTools | undefined>(undefined);

export function DrawingProvider({ drawing, children }: { drawing: CanvasTools; children: ReactNode }) {
  return <DrawingContext value={drawing}>{children}</DrawingContext>;
}

export const useDrawing = (): CanvasTools => must(use(DrawingContext), 'AppProvider above this component');
export const usePalette = (): Palette => useDrawing().palette;
export const useFrames = (): Frames => useDrawing().frames;
