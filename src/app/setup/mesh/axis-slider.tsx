/** A slider for the number of ranks along an axis of the mesh, limited by the ranks that the other axis leaves. */
import { useEffect, useId, useState } from 'react';
import styles from './mesh.module.css';

interface AxisSliderProps {
  readonly label: string;
  readonly title: string;
  readonly size: number;
  readonly most: number;
  readonly onSize: (size: number) => void;
}

export function AxisSlider({ label, title, size, most, onSize }: AxisSliderProps) {
  const id = useId();
  const [draft, setDraft] = useState(size);
  useEffect(() => {
    setDraft(size);
  }, [size]);
  const choose = (next: number) => {
    setDraft(next);
    if (next !== size) onSize(next);
  };
  return (
    <div className={styles['slider']} title={title}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={1}
        max={most}
        step={1}
        value={Math.min(draft, most)}
        onChange={(event) => choose(Number(event.target.value))}
      />
      <b aria-hidden>{draft}</b>
    </div>
  );
}
