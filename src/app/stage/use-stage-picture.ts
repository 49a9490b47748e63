/**
 * The stage's canvas: paints it when something has changed, and saves it as a picture with a legend. The model decides
 * what is where; stage.tsx joins it to the page.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { loadPart } from '../../base/load-part';
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { useInk } from '../draw/use-ink';
import type { SavedFigure } from '../picture/figure-picture';
import { useApp, useAppStore } from '../state/use-app';
import { itemsOfEvent } from './marked-items';
import { OPERATOR_PICTURES } from './operators/kept-picture';
import { paintStage } from './paint-stage';
import type { ChosenTab } from './scene-types';
import type { StageModel } from './stage-model';

interface Shown {
  /** The id of the hovered item. */
  readonly pointed: string | undefined;
  readonly tab: ChosenTab | undefined;
  /** The device whose room is shown large. */
  readonly opened: number | undefined;
}

export function useStagePicture(model: StageModel, size: Size, { pointed, tab, opened }: Shown) {
  const store = useAppStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const pictures = usePictures();
  // biome-ignore lint/correctness/useExhaustiveDependencies: painted anew when the pictures of operators have come
  const draw = useCallback(
    (ink: Ink) => {
      const app = store.getState();
      const scene = model.look(app, size, tab, opened);
      if (!scene) return;
      const events = (app.cursor && app.traces[app.cursor.trace]?.events) ?? [];
      const own = scene.items.filter((item) => item.id === pointed);
      const hovered = [...own, ...itemsOfEvent(scene, app.hovered, events)];
      paintStage(ink, scene, { hovered, pinned: itemsOfEvent(scene, app.pinned, events) });
    },
    [store, model, size, pointed, tab, opened, pictures],
  );
  const { onPainted } = useInk(canvas, size, draw);
  const figure = useMemo(() => figureOf(model, size), [model, size]);
  return { canvas, figure, onPainted };
}

/**
 * Whether the operators' pictures are loaded, which are fetched with the first traced step. Without them, rooms show
 * lines of matrices.
 */
function usePictures(): boolean {
  const traced = useApp((app) => app.traces.length > 0);
  const [there, setThere] = useState(OPERATOR_PICTURES.now() !== undefined);
  useEffect(() => {
    if (!traced || there) return;
    OPERATOR_PICTURES.load().then(
      () => setThere(true),
      () => undefined,
    );
  }, [traced, there]);
  return there;
}

const figureOf = (model: StageModel, size: Size): SavedFigure => ({
  async picture(app) {
    const scene = model.look(app, size);
    const { step } = model;
    const { LEGEND_HEIGHT, paintLegend } = await loadPart('The legend', () => import('./paint-legend'));
    const titles = (app.info?.roles ?? []).map(({ title }) => title);
    const below = { x: 16, y: size.height, width: size.width - 32 };
    return (
      scene && {
        width: size.width,
        height: size.height + LEGEND_HEIGHT,
        paint: (ink) => {
          paintStage(ink, scene, { hovered: [], pinned: [] });
          if (step) paintLegend(ink, below, step, titles);
        },
      }
    );
  },
});
