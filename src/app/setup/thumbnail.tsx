/** One data set as a radio with a picture. */
import { useEffect, useRef } from 'react';
import { must } from '../../base/invariant';
import type { BuiltInData } from '../edit-config';
import { usePalette } from '../use-app';
import styles from './data-panel.module.css';
import { thumbnailPoints } from './thumbnail-points';

interface ThumbnailProps {
  readonly type: BuiltInData;
  readonly name: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
}

const SIZE = 88;

export function Thumbnail({ type, name, checked, onChoose }: ThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const context = must(canvas.current, 'thumbnail').getContext('2d');
    if (!context) return;
    context.clearRect(0, 0, SIZE, SIZE);
    for (const [x, y, value] of thumbnailPoints(type)) {
      context.fillStyle = palette.diverging(value * 0.9);
      context.beginPath();
      context.arc(SIZE / 2 + x * 35, SIZE / 2 - y * 35, 3.1, 0, 2 * Math.PI);
      context.fill();
    }
  }, [palette, type]);
  return (
    <label className={styles['thumbnail']} title={name}>
      <input type="radio" name="data" aria-label={name} checked={checked} onChange={onChoose} />
      <canvas ref={canvas} width={SIZE} height={SIZE} />
    </label>
  );
}
