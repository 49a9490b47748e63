/**
 * The timeline's canvas: its content, its size, its painting, and when it is painted again. The lanes and their marks
 * come from the model and from timeline-marks.ts; timeline.tsx joins them to the page.
 */
import { type UIEvent, useCallback, useMemo, useRef } from 'react';
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { useMedia } from '../draw/use-media';
import { useSize, useSurface } from '../draw/use-surface';
import type { SavedFigure } from '../picture/figure-picture';
import { useApp, useAppStore } from '../state/use-app';
import { paintTimeline } from './paint-timeline';
import { marksOf } from './timeline-marks';
import { createTimelineModel, type PanelSize, type TimelineModel } from './timeline-model';

/**
 * On such screens the page fixes the panel's height; on others the page scrolls and the panel takes the height it
 * needs.
 */
const ONE_SCREEN = '(min-width: 721px) and (min-height: 600px)';

type Marked = Parameters<typeof marksOf>[3];

export function useTimelinePicture({ pointed, selection, matches, path }: Marked) {
  const store = useAppStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const room = useSize(view);
  const oneScreen = useMedia(ONE_SCREEN);
  const embed = useApp((app) => app.embed);
  const { width } = room;
  const own = oneScreen && !embed && room.height > 0 ? room.height : undefined;
  const panel: PanelSize = useMemo(() => ({ width, height: own }), [width, own]);
  const model = useMemo(createTimelineModel, []);
  /** How far the lanes are scrolled; reading it from the element in a frame would force a layout while drawing. */
  const scrolled = useRef(0);
  const height = useApp((app) => model.layout(app, panel).height);
  const size = useMemo(() => ({ width, height }), [width, height]);
  const draw = useCallback(
    (ink: Ink) => {
      const app = store.getState();
      const scene = model.look(app, panel);
      const marks = marksOf(model, app, scene, { pointed, selection, matches, path });
      const parts = model.parts(app);
      paintTimeline(ink, scene, marks, parts && { parts, view: model.view, top: scrolled.current, band: model.band });
    },
    [store, model, panel, pointed, selection, matches, path],
  );
  const { request, onPainted } = useSurface(canvas, size, draw);
  const onScroll = (event: UIEvent<HTMLElement>) => {
    scrolled.current = event.currentTarget.scrollTop;
    request();
  };
  const figure = figureOf(model, panel, size, { selection, matches, path });
  return { canvas, view, model, panel, size, figure, request, onPainted, onScroll };
}

/** The timeline as a picture of all its lanes, even if the panel shows only some. */
const figureOf = (
  model: TimelineModel,
  panel: PanelSize,
  size: Size,
  marked: Omit<Marked, 'pointed'>,
): SavedFigure => ({
  async picture(app) {
    const parts = model.parts(app);
    const scene = model.look(app, panel);
    const marks = marksOf(model, app, scene, { ...marked, pointed: undefined });
    const shown = parts && { parts, view: model.view, top: 0, band: undefined };
    return shown && { ...size, paint: (ink) => paintTimeline(ink, scene, marks, shown) };
  },
});
