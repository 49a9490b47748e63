/**
 * The stage: devices, their content, and the packets between them, on one canvas. This file joins the stage's parts to
 * the page: canvas (use-stage-picture.ts), pointer (use-stage-pointer.ts), keyboard, tooltip. scene.ts decides what is
 * where, paint-stage.ts how it looks; the surrounding section and its sentence belong to the page.
 */
import { useLayoutEffect, useMemo, useRef } from 'react';
import { ItemList } from '../draw/item-list';
import { useSize } from '../draw/use-surface';
import { SavePicture } from '../picture/save-button';
import { useApp } from '../state/use-app';
import { Legend } from './legend';
import type { SceneItem } from './scene-types';
import styles from './stage.module.css';
import { createStageModel } from './stage-model';
import { StageTable } from './stage-table';
import { StageTip } from './stage-tip';
import { useStagePicture } from './use-stage-picture';
import { useStagePointer } from './use-stage-pointer';

const NO_ITEMS: readonly SceneItem[] = [];

/** `onThere`: called once the stage draws. */
export function Stage({ onThere }: { readonly onThere: () => void }) {
  // A layout effect runs before the browser paints, so the first picture's rooms and these never share a frame.
  useLayoutEffect(onThere, [onThere]);
  const view = useRef<HTMLDivElement>(null);
  const size = useSize(view);
  const model = useMemo(createStageModel, []);
  const { pointed, open, tab, opened, point, act, hands } = useStagePointer(model);
  const { canvas, figure, onPainted } = useStagePicture(model, size, { pointed, tab, opened });
  const described = useApp((app) => describe(app.info?.worldSize ?? 0));
  return (
    <div className={styles['root']}>
      <div ref={view} className={styles['view']}>
        <canvas ref={canvas} role="img" aria-label={described} className={styles['canvas']} style={size} {...hands} />
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

const describe = (devices: number): string =>
  devices === 0
    ? 'The stage is empty until a session is open'
    : `${devices === 1 ? 'One device' : `${devices} devices`} with weights, gradients and memory, and the packets between them; the table below the picture says the same in words`;
