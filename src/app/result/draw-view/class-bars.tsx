/**
 * The model's probability of each class for the drawing, as bars, the likeliest marked; with very many classes only the
 * likeliest.
 */
import { formatPercent } from '../../draw/format';
import { Status } from '../scores';
import styles from './draw-view.module.css';

const MOST = 12;
/** Longer names are drawn above their bars. */
const LONG_NAME = 3;

interface ClassBarsProps {
  readonly names: readonly string[];
  /** Undefined if the pad is empty. */
  readonly probabilities: Float32Array | undefined;
}

export function ClassBars({ names, probabilities }: ClassBarsProps) {
  const classes = names.map((name, index) => ({ name, index, p: probabilities?.[index] }));
  const most = Math.max(...(probabilities ?? [1]));
  const shown = classes.length <= MOST ? classes : classes.toSorted((a, b) => (b.p ?? 0) - (a.p ?? 0)).slice(0, MOST);
  const long = names.some((name) => name.length > LONG_NAME);
  return (
    <ul className={styles['bars']} data-long={long || undefined} aria-label="Class probabilities">
      {shown.map(({ name, index, p }) => (
        <li key={index} data-best={p === most || undefined}>
          <span title={name}>{name}</span>
          <i aria-hidden="true">
            <b style={{ width: `${100 * (p ?? 0)}%` }} />
          </i>
          <Status name={`Probability of ${name}`} text={formatPercent(p)} />
        </li>
      ))}
    </ul>
  );
}
