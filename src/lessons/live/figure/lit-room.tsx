/** A soft frame, in the rank's hue, around the device on the stage that a word of the text means. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { createStageModel } from '../../../app/stage/stage-model';
import { useApp, useAppStore } from '../../../app/state/use-app';
import { useFigureState } from './use-figure';
import styles from './views.module.css';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function LitRoom() {
  const store = useAppStore();
  const rank = useFigureState((state) => state.lit?.rank);
  const trace = useApp((app) => app.cursor?.trace);
  const model = useMemo(createStageModel, []);
  const anchor = useRef<HTMLSpanElement>(null);
  const [box, setBox] = useState<Box>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step may have other rooms
  useEffect(() => {
    const view = anchor.current?.parentElement?.querySelector('canvas')?.parentElement;
    const room =
      rank === undefined || !view
        ? undefined
        : model
            .look(store.getState(), { width: view.clientWidth, height: view.clientHeight })
            ?.rooms.find(({ device }) => device === rank)?.rect;
    setBox(
      room && view
        ? { left: view.offsetLeft + room.x, top: view.offsetTop + room.y, width: room.width, height: room.height }
        : undefined,
    );
  }, [rank, trace, model, store]);
  return (
    <>
      <span ref={anchor} hidden />
      {box && rank !== undefined && (
        <div className={styles['room']} data-lit-rank={rank} style={{ ...box, ...hueOf(rank) }} />
      )}
    </>
  );
}

const HUES = 8;

/** The variable that the frame is drawn with. */
export const hueOf = (rank: number): Readonly<Record<`--${string}`, string>> => ({
  '--room': `var(--rank-${rank % HUES})`,
});
