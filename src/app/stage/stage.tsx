/**
 * The stage: devices, what they hold, and what flies between them, on one canvas. This file joins the page to it: size,
 * pointer, keyboard, tooltip. What is where is decided by scene.ts, how it looks by paint-stage.ts; the section
 * around it and its sentence belong to the page.
 */
import { type MouseEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { loadPart } from '../../base/load-part';
import { hitTest } from '../draw/hit-regions';
import type { Ink } from '../draw/ink';
import { ItemList } from '../draw/item-list';
import { useSize, useSurface } from '../draw/use-surface';
import type { Figure } from '../picture/figure-picture';
import { SavePicture } from '../picture/save-button';
import { useApp, useAppStore } from '../state/use-app';
import { Legend } from './legend';
import { itemsOfEvent } from './marks';
import { paintStage } from './paint-stage';
import type { ChosenTab, SceneItem } from './scene-types';
import styles from './stage.module.css';
import { createStageModel } from './stage-model';
import { StageTable } from './stage-table';
import { StageTip } from './stage-tip';

const FINGER = 12;
const MOUSE = 3;
const NO_ITEMS: readonly SceneItem[] = [];

/** `onThere`: it draws from now on. */
export function Stage({ onThere }: { readonly onThere: () => void }) {
  // Before the browser paints: the rooms of before and these must not share the place, not even for a frame.
  useLayoutEffect(onThere, [onThere]);
  const store = useAppStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const size = useSize(view);
  const model = useMemo(createStageModel, []);
  const [pointed, setPointed] = useState<string>();
  const [held, setHeld] = useState<Held>();
  const [tab, setTab] = useState<ChosenTab>();
  const pinned = useApp((app) => app.pinned);

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

  const figure = useMemo(
    (): Figure => ({
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
    }),
    [model, size],
  );

  const point = useCallback(
    (item: SceneItem | undefined) => {
      setPointed(item?.id);
      store.getState().hover(item?.event);
    },
    [store],
  );
  const act = (item: SceneItem | undefined) => {
    setHeld((old) =>
      item === undefined || old?.id === item.id ? undefined : { id: item.id, pin: item.event !== undefined },
    );
    store.getState().pin(item?.event);
    if (item?.showsTab) setTab(item.showsTab);
    if (item?.opensMemory) store.getState().showMemory(item.device);
  };
  const under = (event: MouseEvent): SceneItem | undefined => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const at = { x: event.clientX - left, y: event.clientY - top };
    return hitTest(model.scene?.items ?? [], at, isTouch(event.nativeEvent) ? FINGER : MOUSE);
  };
  // Esc, or a step to another trace, takes the pin away, and the tooltip with it.
  const open = held && (!held.pin || pinned !== undefined) ? held.id : undefined;
  const described = useApp((app) => describe(app.info?.worldSize ?? 0));
  return (
    <div className={styles['root']}>
      <div ref={view} className={styles['view']}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={described}
          className={styles['canvas']}
          style={size}
          onPointerDown={(event) => point(under(event))}
          onPointerMove={(event) => point(under(event))}
          onPointerLeave={() => point(undefined)}
          onClick={(event) => act(under(event))}
        />
      </div>
      <ItemList
        label="Items on the stage"
        items={() => model.scene?.items ?? NO_ITEMS}
        onPainted={onPainted}
        onPoint={point}
        onAct={act}
      />
      <StageTip model={model} onPainted={onPainted} canvas={canvas} id={pointed ?? open} />
      <div className={styles['foot']}>
        <Legend model={model} onPainted={onPainted} />
        <div className={styles['tools']}>
          <SavePicture name="stage" what="the stage" figure={figure} />
          <StageTable model={model} onPainted={onPainted} />
        </div>
      </div>
    </div>
  );
}

const isTouch = (event: object): boolean => 'pointerType' in event && event.pointerType === 'touch';

interface Held {
  readonly id: string;
  /** Its event is pinned on the whole page. */
  readonly pin: boolean;
}

const describe = (devices: number): string =>
  devices === 0
    ? 'The stage is empty until a session is open'
    : `${devices === 1 ? 'One device' : `${devices} devices`} with weights, gradients and memory, and the packets between them; the table below the picture says the same in words`;
