/** The buttons that zoom, in the head of lanes over time. */
import styles from './head.module.css';

interface ZoomButtonsProps {
  /** > 1: larger; 0: everything. */
  readonly onZoom: (factor: number) => void;
  /** The label of the last button. */
  readonly whole: string;
}

export function ZoomButtons({ onZoom, whole }: ZoomButtonsProps) {
  return (
    <span className={styles['zoom']}>
      <button type="button" aria-label="Zoom out" onClick={() => onZoom(1 / 1.6)}>
        −
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => onZoom(1.6)}>
        +
      </button>
      <button type="button" aria-label={whole} onClick={() => onZoom(0)}>
        fit
      </button>
    </span>
  );
}
