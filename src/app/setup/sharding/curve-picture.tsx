/**
 * A rank's memory over a step as areas by kind, with DDP's memory as a dashed line, the formula as a line, and the
 * cursor. The content of the <svg> in memory-curve.tsx and curve-figure.tsx, which set its size.
 */
import { MEMORY_CATEGORIES, type MemoryCategory } from '../../../protocol/trace';
import { formatSize } from '../../draw/format';
import { RANK, type ShownCurve } from './curve';

interface PictureProps {
  readonly curve: ShownCurve;
  readonly width: number;
  readonly height: number;
  /** The trace's event at the cursor. */
  readonly event: number | undefined;
}

export const categoriesOf = ({ points }: ShownCurve): readonly MemoryCategory[] =>
  MEMORY_CATEGORIES.filter((category) => points.some(({ use }) => use[category] > 0));

export function CurvePicture({ curve, width, height, event }: PictureProps) {
  const { points, formula } = curve;
  const top = 1.05 * Math.max(curve.ghostPeak, curve.peak, formula);
  const x = (index: number): number => (width * index) / points.length;
  const y = (bytes: number): number => height - (height * bytes) / top;
  const used = categoriesOf(curve);
  const shown = points.findIndex((point) => event !== undefined && point.event >= event);
  const line = { fill: 'none', strokeWidth: 1.2 } as const;
  return (
    <>
      {used
        .map((category, k) => {
          const below = used.slice(0, k + 1);
          const heights = points.map(({ use }) => below.reduce((bytes, each) => bytes + use[each], 0));
          return <path key={category} d={`${lineOf(heights, x, y)}V${height}H0Z`} fill={`var(--memory-${category})`} />;
        })
        .reverse()}
      <path
        {...line}
        stroke="var(--soft)"
        strokeDasharray="3 2"
        d={lineOf(
          points.map(({ ghost }) => ghost),
          x,
          y,
        )}
      />
      <path {...line} stroke="var(--accent)" d={`M0 ${y(formula).toFixed(1)}H${width}`} />
      {shown >= 0 && <path {...line} stroke="var(--ink)" d={`M${x(shown).toFixed(1)} 0V${height}`} />}
    </>
  );
}

type Scale = (value: number) => number;

function lineOf(values: readonly number[], x: Scale, y: Scale): string {
  const [first = 0] = values;
  return `M0 ${y(first).toFixed(1)}${values.map((value, i) => `V${y(value).toFixed(1)}H${x(i + 1).toFixed(1)}`).join('')}`;
}

export const curveWords = ({ peak, ghostPeak, formula }: ShownCurve): string =>
  `Memory of rank ${RANK} over the step: at most ${formatSize(peak)}, with DDP ${formatSize(ghostPeak)}, by the formula ${formatSize(formula)} of parameters, gradients and states.`;
