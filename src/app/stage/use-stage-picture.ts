/**
 * The stage's canvas: what is painted on it and when it is painted anew, and the stage as a picture that is saved, with
 * its legend. What is where comes from the model; stage.tsx joins it to the page.
 */
import { useCallback, useMemo, useRef } from 'react';
import { loadPart } from '../../base/load-part';
import type { Size } from '../draw/geometry';
import type { Ink } from '../draw/ink';
import { useSurface } from '../draw/use-surface';
import type { Figure } from '../picture/figure-picture';
import { useAppStore } from '../state/use-app';
import { itemsOfEvent } from './marks';
import { paintStage } from './paint-stage';
import type { ChosenTab } from './scene-types';
import type { StageModel } from './stage-model';

interface Shown {
  /** The item that is pointed at, by its id. */
  readonly pointed: string | undefined;
  readonly tab: ChosenTab | undefined;
}

export function useStagePicture(model: StageModel, size: Size, { pointed, tab }: Shown) {
  const store = useAppStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = useCallback(
    (ink: Ink) => {
      const app = store.getState();
      const scene = model.look(app, size, tab);
      if (!scene) return;
      const events = (app.cursor && app.traces[app.cursor.trace]?.events) ?? [];
      const own = scene.items.filter((item) => item.id === pointed);
      const hovered = [...own, ...itemsOfEvent(scene, app.hovered, events)];
      paintStage(ink, scene, { hovered, pinned: itemsOfEvent(scene, app.pinned, events) });
    },
    [store, model, size, pointed, tab],
  );
  const { onPainted } = useSurface(canvas, size, draw);
  const figure = useMemo(() => figureOf(model, size), [model, size]);
  return { canvas, figure, onPainted };
}

const figureOf = (model: StageModel, size: Size): Figure => ({
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
