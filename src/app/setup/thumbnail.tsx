/** A data set as a radio button with a picture. */
import { useEffect, useRef } from 'react';
import { must } from '../../base/invariant';
import type { BuiltInData } from '../../protocol/config/data';
import { usePalette } from '../draw/canvas-context';
import type { Palette } from '../draw/theme';
import styles from './data-panel.module.css';
import { type Pictogram, pictogramOf } from './thumbnail-points';

interface ThumbnailProps {
  readonly type: BuiltInData;
  readonly name: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
}

const SIZE = 88;
const REACH = 35;

function paint(context: CanvasRenderingContext2D, palette: Palette, picture: Pictogram): void {
  const at = (x: number, y: number) => [SIZE / 2 + x * REACH, SIZE / 2 - y * REACH] as const;
  if (picture.kind === 'points') {
    for (const [x, y, value] of picture.points) {
      context.fillStyle = palette.diverging(value * 0.9);
      context.beginPath();
      context.arc(...at(x, y), 3.1, 0, 2 * Math.PI);
      context.fill();
    }
  } else if (picture.kind === 'cells') {
    const cell = (2 * REACH) / picture.side;
    picture.values.forEach((value, i) => {
      context.fillStyle = palette.diverging(value * 0.85);
      const [x, y] = at(-1, 1);
      context.fillRect(x + (i % picture.side) * cell, y + Math.floor(i / picture.side) * cell, cell - 1.5, cell - 1.5);
    });
  } else if (picture.kind === 'strokes') {
    context.strokeStyle = palette.ink;
    context.lineWidth = picture.strokes.length > 1 ? 4 : 9;
    context.lineCap = 'round';
    context.lineJoin = 'round';
    for (const stroke of picture.strokes) {
      context.beginPath();
      for (const [x, y] of stroke) context.lineTo(...at(x, y));
      context.stroke();
    }
  } else {
    context.font = `${picture.lines.some((line) => line.length > 4) ? 23 : 26}px ${palette.mono}`;
    context.textAlign = 'center';
    picture.lines.forEach((line, i) => {
      context.fillStyle = i === 0 ? palette.ink : palette.diverging(0.8);
      context.fillText(line, SIZE / 2, SIZE / 2 - 7 + i * 29);
    });
  }
}

export function Thumbnail({ type, name, checked, onChoose }: ThumbnailProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  useEffect(() => {
    const context = must(canvas.current, 'thumbnail').getContext('2d');
    if (!context) return;
    context.clearRect(0, 0, SIZE, SIZE);
    paint(context, palette, pictogramOf(type));
  }, [palette, type]);
  return (
    <label className={styles['thumbnail']} title={name}>
      <input type="radio" name="data" aria-label={name} checked={checked} onChange={onChoose} />
      <canvas ref={canvas} width={SIZE} height={SIZE} />
    </label>
  );
}
