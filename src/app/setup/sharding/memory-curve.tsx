/**
 * Memory of a rank over the step that is shown, by kind, beside what DDP would need at the same moments and the ZeRO
 * formula as a line. The cursor of the page is drawn, and a press moves it.
 */
import { useMemo } from 'react';
import type { ShardingInfo } from '../../../protocol/session-info';
import { type BufferInfo, MEMORY_CATEGORIES, type MemoryCategory } from '../../../protocol/trace';
import { memoryOf } from '../../../trace/memory';
import { formatSize } from '../../draw/format';
import { CATEGORY_WORDS } from '../../memory/memory-tree';
import { useApp } from '../../state/use-app';
import { curveOf } from './curve';
import styles from './sharding.module.css';
import { keptAt, STAGES } from './zero-stages';

const [WIDTH, HEIGHT] = [240, 96];
const RANK = 0;

export function MemoryCurve({ sharding }: { readonly sharding: ShardingInfo }) {
  const info = useApp((app) => app.info);
  const trace = useApp((app) => app.traces.at(-1));
  const event = useApp((app) => app.cursor?.event);
  const curve = useMemo(
    () =>
      info && trace
        ? curveOf({ memory: memoryOf(trace, info.buffers.map(withoutPadding)), trace, device: RANK, sharding })
        : undefined,
    [info, trace, sharding],
  );
  if (!info || !curve || curve.points.length === 0) return null;
  const stage = STAGES[info.config.sharded.stage]?.stage ?? 3;
  const kept = keptAt(stage, sharding);
  const formula = kept.parameters + kept.gradients + kept.states;
  const top = 1.05 * Math.max(curve.ghostPeak, curve.peak, formula);
  const x = (index: number): number => (WIDTH * index) / curve.points.length;
  const y = (bytes: number): number => HEIGHT - (HEIGHT * bytes) / top;
  const used = MEMORY_CATEGORIES.filter((category) => curve.points.some(({ use }) => use[category] > 0));
  const shown = curve.points.findIndex((point) => event !== undefined && point.event >= event);
  return (
    <figure className={styles['curve']}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={wordsOf(curve, formula)}>
        {used
          .map((category, k) => {
            const below = used.slice(0, k + 1);
            const height = (point: (typeof curve.points)[number]) =>
              below.reduce((bytes, each) => bytes + point.use[each], 0);
            return <Area key={category} category={category} points={curve.points.map(height)} x={x} y={y} />;
          })
          .reverse()}
        <path
          className={styles['ghost']}
          d={lineOf(
            curve.points.map(({ ghost }) => ghost),
            x,
            y,
          )}
        />
        <path className={styles['formula']} d={`M0 ${y(formula)}H${WIDTH}`} />
        {shown >= 0 && <path className={styles['cursor']} d={`M${x(shown)} 0V${HEIGHT}`} />}
      </svg>
      <figcaption>
        Rank {RANK} over the step: at most {formatSize(curve.peak)};{' '}
        <span data-line="ghost">DDP {formatSize(curve.ghostPeak)}</span>;{' '}
        <span data-line="formula">formula {formatSize(formula)}</span>
      </figcaption>
      <p className={styles['key']}>
        {used.map((category) => (
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

/** What the tensor has, without what the allocation rounds up to. */
const withoutPadding = (buffer: BufferInfo): BufferInfo => ({
  ...buffer,
  bytes: Math.min(
    buffer.bytes,
    buffer.shape.reduce((n, size) => n * size, BYTES),
  ),
});

/** Of a float32 or an int32. */
const BYTES = 4;

type Scale = (value: number) => number;

function lineOf(values: readonly number[], x: Scale, y: Scale): string {
  const [first = 0] = values;
  return `M0 ${y(first).toFixed(1)}${values.map((value, i) => `V${y(value).toFixed(1)}H${x(i + 1).toFixed(1)}`).join('')}`;
}

function Area(props: {
  readonly category: MemoryCategory;
  readonly points: readonly number[];
  readonly x: Scale;
  readonly y: Scale;
}) {
  const { category, points, x, y } = props;
  return <path d={`${lineOf(points, x, y)}V${HEIGHT}H0Z`} style={{ fill: `var(--memory-${category})` }} />;
}

const wordsOf = ({ peak, ghostPeak }: { readonly peak: number; readonly ghostPeak: number }, formula: number): string =>
  `Memory of rank ${RANK} over the step: at most ${formatSize(peak)}, with DDP ${formatSize(ghostPeak)}, by the formula ${formatSize(formula)} of parameters, gradients and states.`;
