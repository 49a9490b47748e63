/**
 * A rank's memory over the shown step, by kind, beside the memory that DDP would need at the same moments, the ZeRO
 * formula as a line, and the page's cursor.
 */
import { useMemo } from 'react';
import { formatSize } from '../../draw/format';
import { CATEGORY_WORDS } from '../../memory/memory-tree';
import { useApp } from '../../state/use-app';
import { RANK, shownCurve } from './curve';
import { CurvePicture, categoriesOf, curveWords } from './curve-picture';
import styles from './sharding.module.css';

const [WIDTH, HEIGHT] = [240, 96];

export function MemoryCurve() {
  const info = useApp((app) => app.info);
  const trace = useApp((app) => app.traces.at(-1));
  const event = useApp((app) => app.cursor?.event);
  const curve = useMemo(() => (info && trace ? shownCurve(info, trace) : undefined), [info, trace]);
  if (!curve) return null;
  return (
    <figure className={styles['curve']}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={curveWords(curve)}>
        <CurvePicture curve={curve} width={WIDTH} height={HEIGHT} event={event} />
      </svg>
      <figcaption>
        Rank {RANK} over the step: at most {formatSize(curve.peak)};{' '}
        <span data-line="ghost">DDP {formatSize(curve.ghostPeak)}</span>;{' '}
        <span data-line="formula">formula {formatSize(curve.formula)}</span>
      </figcaption>
      <p className={styles['key']}>
        {categoriesOf(curve).map((category) => (
          <span
            key={category}
            data-category={category}
            style={{ '--kind': `var(--memory-${category})` } as React.CSSProperties}
          >
            {CATEGORY_WORDS[category]}
          </span>
        ))}
      </p>
    </figure>
  );
}
