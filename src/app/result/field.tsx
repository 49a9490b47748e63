/** The net's output: the decision field with the data over it, or a plot of predicted against target. */
import { useEffect, useMemo, useRef } from 'react';
import { must } from '../../base/invariant';
import { FIELD_SIZE } from '../../protocol/snapshot';
import { usePalette } from '../draw/canvas-context';
import { formatPercent } from '../draw/format';
import { SavePicture } from '../picture/save-button';
import { useApp, useSettled } from '../state/use-app';
import { FIELD_FIGURE } from './field-figure';
import { paintResult } from './paint-field';
import styles from './result.module.css';

const SIZE = 150;

export function Field() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = usePalette();
  const snapshot = useSettled((app) => app.snapshot, 60);
  const dataset = useApp((app) => app.info?.dataset);
  const small = useMemo(() => {
    const element = document.createElement('canvas');
    element.width = FIELD_SIZE;
    element.height = FIELD_SIZE;
    return element;
  }, []);
  useEffect(() => {
    const element = must(canvas.current, 'field canvas');
    const ratio = Math.min(3, Math.max(1, devicePixelRatio));
    element.width = SIZE * ratio;
    element.height = SIZE * ratio;
    const context = element.getContext('2d');
    if (!context || !dataset) return;
    context.scale(ratio, ratio);
    paintResult({ context, size: SIZE, palette, dataset }, snapshot, small);
  }, [palette, snapshot, dataset, small]);
  const planar = (dataset?.points.length ?? 0) > 0;
  const what = planar ? 'Decision field' : 'Predicted against target';
  const accuracy =
    snapshot?.trainAccuracy === undefined
      ? ''
      : `, ${formatPercent(snapshot.trainAccuracy)} of the training rows right`;
  return (
    <figure className={styles['field']}>
      <canvas ref={canvas} role="img" aria-label={`${what}${accuracy}`} />
      <figcaption>
        {planar ? 'model output; ringed dark: test' : 'predicted over target'}{' '}
        <SavePicture name="field" what={planar ? 'the decision field' : 'the predictions'} figure={FIELD_FIGURE} />
      </figcaption>
    </figure>
  );
}
