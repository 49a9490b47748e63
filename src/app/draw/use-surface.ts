/**
 * A canvas in React: its size as the page gives it, its pixel ratio, its brush for the palette, and a drawer in the one
 * frame scheduler. The draw function runs outside React; it runs after `request`, after changes of size or palette, and
 * after changes of what is shown. Its errors go to the boundary around the component.
 *
 * The page's words about a picture (its items, its table, a tooltip) describe the scene that was painted last. The
 * picture is painted after React has rendered, so these words update on `onPainted` and not with the store: otherwise
 * they would describe the previous frame, or be missing if the picture came late and nothing changed afterwards.
 */
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { type Brush, createBrush } from './brush';
import { useDrawing } from './canvas-context';
import type { Size } from './geometry';
import { openSurface } from './surface';
import type { Subscribe } from './use-throttled';

/** The size of an element's content box; zero before it is laid out. */
export function useSize(element: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const width = Math.floor(entry.contentRect.width);
      const height = Math.floor(entry.contentRect.height);
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** Ratio of device pixels to CSS pixels; follows zoom and a move to another screen. */
function usePixelRatio(): number {
  const [ratio, setRatio] = useState(() => window.devicePixelRatio || 1);
  useEffect(() => {
    const media = matchMedia(`(resolution: ${ratio}dppx)`);
    const update = () => setRatio(window.devicePixelRatio || 1);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, [ratio]);
  return ratio;
}

export interface Painted {
  /** Asks for another frame. */
  readonly request: () => void;
  /** Calls the listener after each frame that was drawn. */
  readonly onPainted: Subscribe;
}

export function useSurface(
  canvas: RefObject<HTMLCanvasElement | null>,
  size: Size,
  draw: (brush: Brush) => void,
): Painted {
  const { palette, frames, changed } = useDrawing();
  const pixelRatio = usePixelRatio();
  const { width, height } = size;
  const latest = useRef(draw);
  const [listeners] = useState(() => new Set<() => void>());
  const handle = useRef<{ readonly request: () => void } | undefined>(undefined);
  // Drawing is outside React: the next render throws its error again, for the boundary of the region.
  const [broken, setBroken] = useState<{ readonly error: unknown }>();
  if (broken) throw broken.error;
  const kept = useMemo(() => ({ brush: undefined as Brush | undefined, palette, pixelRatio }), [palette, pixelRatio]);

  useEffect(() => {
    latest.current = draw;
    handle.current?.request();
  }, [draw]);
  useEffect(() => {
    const drawer = frames.drawer(
      () => {
        const surface = canvas.current && openSurface(canvas.current, { width, height }, kept.pixelRatio);
        if (!surface) return;
        kept.brush ??= createBrush(surface, kept.palette);
        latest.current(kept.brush);
        for (const listener of [...listeners]) listener();
      },
      (error) => setBroken({ error }),
    );
    handle.current = drawer;
    const stop = changed(drawer.request);
    return () => {
      stop();
      drawer.dispose();
      handle.current = undefined;
    };
  }, [frames, changed, canvas, width, height, kept, listeners]);
  return useMemo(
    () => ({
      request: () => handle.current?.request(),
      onPainted: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    [listeners],
  );
}
