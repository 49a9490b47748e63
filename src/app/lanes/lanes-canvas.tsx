/** The canvas of lanes over time, and over it the slider that receives pointer and keys. */
import type { ReactNode } from 'react';
import styles from './lanes.module.css';
import type { Lanes } from './use-lanes';
import type { LanesPicture } from './use-lanes-picture';

interface LanesCanvasProps {
  readonly picture: LanesPicture;
  readonly label: string;
  /** The slider, and further elements over the canvas. */
  readonly children: ReactNode;
}

export function LanesCanvas({ picture: { canvas, size }, label, children }: LanesCanvasProps) {
  return (
    <div className={styles['lanes']} style={{ height: size.height }}>
      <canvas ref={canvas} role="img" aria-label={label} style={size} />
      {children}
    </div>
  );
}

interface LanesSliderProps {
  readonly lanes: Pick<Lanes<unknown>, 'hand' | 'listeners'>;
  readonly label: string;
  /** The position, from 0, the last one, and the words for it. */
  readonly now: number;
  readonly last: number;
  readonly text: string;
  /** The keys, in words. */
  readonly keys?: string;
  readonly disabled?: boolean;
}

export const LanesSlider = ({ lanes, label, now, last, text, keys, disabled = false }: LanesSliderProps) => (
  <div
    ref={lanes.hand}
    className={styles['hand']}
    role="slider"
    tabIndex={0}
    aria-label={label}
    aria-disabled={disabled || undefined}
    aria-valuemin={0}
    aria-valuemax={last}
    aria-valuenow={now}
    aria-valuetext={text}
    aria-description={keys}
    {...lanes.listeners}
  />
);
