/**
 * The place of the stage: the code that draws a traced step is fetched once the session has answered; until it is
 * loaded, this module draws empty rooms at their final places.
 */
import { useCallback, useLayoutEffect, useRef } from 'react';
import { laterPanel } from '../boundary/loaded-panel';
import type { Brush } from '../draw/brush';
import { useSize, useSurface } from '../draw/use-surface';
import { useApp, useAppStore } from '../state/use-app';
import { expectedRun } from './expected-run';
import { firstPicture } from './first-picture';
import styles from './stage.module.css';

const Stage = laterPanel('The stage', async () => (await import('./stage')).Stage, { first: true });

export function StagePlace() {
  const there = useApp((app) => app.stageCode === 'there');
  const store = useAppStore();
  const onThere = useCallback(() => store.getState().setStageCode('there'), [store]);
  useLayoutEffect(() => {
    if (store.getState().stageCode === 'none') store.getState().setStageCode('coming');
  }, [store]);
  return (
    <>
      {!there && <EmptyRooms />}
      <Stage onThere={onThere} />
    </>
  );
}

function EmptyRooms() {
  const store = useAppStore();
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<HTMLDivElement>(null);
  const size = useSize(view);
  const draw = useCallback(
    (brush: Brush) => {
      const { info, config } = store.getState();
      firstPicture(brush, info ?? expectedRun(config), size);
    },
    [store, size],
  );
  useSurface(canvas, size, draw);
  return (
    <div ref={view} className={styles['view']}>
      <canvas
        ref={canvas}
        role="img"
        aria-label="The devices, before the first step"
        className={styles['canvas']}
        style={size}
      />
    </div>
  );
}
