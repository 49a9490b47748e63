/**
 * The timeline's canvas: its size and its content. The lanes and their marks come from the model and from
 * timeline-marks.ts; timeline.tsx joins them to the page.
 */
import { useCallback, useMemo, useRef } from 'react';
import { useMedia } from '../draw/use-media';
import { useSize } from '../draw/use-surface';
import { type ShownInLanes, useLanesPicture } from '../lanes/use-lanes-picture';
import { useApp, useAppStore } from '../state/use-app';
import { paintTimeline } from './paint-timeline';
import { marksOf, type Wanted } from './timeline-marks';
import { createTimelineModel, type PanelSize } from './timeline-model';

/**
 * On such screens the page fixes the panel's height; on others the page scrolls and the panel takes the height it
 * needs.
 */
const ONE_SCREEN = '(min-width: 721px) and (min-height: 600px)';

export function useTimelinePicture({ pointed, selection, matches, path }: Wanted) {
  const store = useAppStore();
  const view = useRef<HTMLDivElement>(null);
  const room = useSize(view);
  const oneScreen = useMedia(ONE_SCREEN);
  const embed = useApp((app) => app.embed);
  const { width } = room;
  const own = oneScreen && !embed && room.height > 0 ? room.height : undefined;
  const panel: PanelSize = useMemo(() => ({ width, height: own }), [width, own]);
  const model = useMemo(createTimelineModel, []);
  const height = useApp((app) => model.layout(app, panel).height);
  const size = useMemo(() => ({ width, height }), [width, height]);
  const painter = useCallback(
    (shown: ShownInLanes<string>) => {
      const app = store.getState();
      const scene = model.look(app, panel);
      const parts = model.parts(app);
      if (!parts) return undefined;
      const marks = marksOf(model, app, scene, { pointed: shown.pointed, selection, matches, path });
      return (ink: Parameters<typeof paintTimeline>[0]) =>
        paintTimeline(ink, scene, marks, { ...shown, parts, view: model.view });
    },
    [store, model, panel, selection, matches, path],
  );
  return { model, panel, picture: useLanesPicture({ model, view, size, pointed, painter }) };
}
