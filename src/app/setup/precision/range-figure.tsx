/**
 * The gradients of every layer over powers of two, beside the range of float16: which layers' gradients become 0, and
 * which overflow. Styled with attributes only, so that it can be saved as a file. Used in the set-up and in lessons.
 */
import { HALF_NAMES } from '../../../protocol/half-names';
import { halfOf } from '../../../protocol/half-of';
import type { SessionInfo } from '../../../protocol/session-info';
import type { StepTrace } from '../../../protocol/trace';
import { gradientSizes, type LayerGradients, ofAllLayers } from '../../../trace/gradient-sizes';
import { FLOAT16 } from '../../../trace/magnitudes';
import { moduleWords } from '../../../trace/words';
import { formatCount } from '../../draw/format';

/** The range in powers of two; each bin of the histogram is one power. Values outside are drawn at the ends. */
const [LOW, HIGH] = [-40, 24] as const;
const TICKS = [-32, -24, -16, -8, 0, 8, 16] as const;
/** If there are more layers, layers share rows. */
const MOST_ROWS = 16;

export interface RangeRow extends Omit<LayerGradients, 'module'> {
  readonly words: string;
}

export interface ShownRange {
  readonly rows: readonly RangeRow[];
  /** 'gradients in float16' */
  readonly what: string;
  /** '12 of 300 are 0' */
  readonly lost: string;
}

/** The figure's data; undefined if the step has no backward pass. */
export function shownRange(info: Pick<SessionInfo, 'config' | 'parameters'>, trace: StepTrace): ShownRange | undefined {
  const layers = gradientSizes(trace, info);
  if (layers.length === 0) return undefined;
  const { count, zeros, notFinite } = ofAllLayers(layers);
  const half = halfOf(info.config);
  const lost = [
    ...(zeros > 0 ? [`${formatCount(zeros)} of ${formatCount(count)} are 0`] : []),
    ...(notFinite > 0 ? [`${formatCount(notFinite)} of ${formatCount(count)} are inf or NaN`] : []),
  ];
  const scaled = info.config.gradScaler.enabled ? 'scaled gradients' : 'gradients';
  return {
    rows: rowsOf(layers),
    what: `${scaled} in ${half ? HALF_NAMES[half] : 'float32'}`,
    lost: lost.length > 0 ? lost.join(', ') : `none of ${formatCount(count)} is 0, inf or NaN`,
  };
}

function rowsOf(layers: readonly LayerGradients[]): readonly RangeRow[] {
  const each = Math.ceil(layers.length / MOST_ROWS);
  return Array.from({ length: Math.ceil(layers.length / each) }, (_, row) => {
    const own = layers.slice(row * each, (row + 1) * each);
    const [first, last] = [own[0]?.module ?? '', own.at(-1)?.module ?? ''];
    return {
      ...ofAllLayers(own),
      powers: Float32Array.from(own.flatMap(({ powers }) => [...powers])),
      words: first === last ? moduleWords(first) : `${moduleWords(first)} to ${moduleWords(last)}`,
    };
  });
}

interface FigureProps {
  readonly range: ShownRange;
  readonly width: number;
}

interface Layout {
  readonly width: number;
  /** The plot's edges, between the columns of 0 and of inf. */
  readonly left: number;
  readonly right: number;
  readonly column: number;
  readonly row: number;
  readonly top: number;
  readonly font: number;
}

/** The sizes for a width; in the set-up everything is smaller. */
function layoutOf(width: number): Layout {
  const small = width < 300;
  const font = small ? 10.5 : 12.5;
  const column = small ? 30 : Math.round(font * 3.4);
  const names = small ? 50 : width < 560 ? 60 : 130;
  const [left, right] = [names + column + 6, width - column - 6];
  return { width, left, right, column, font, ...(small ? { row: 17, top: 48 } : { row: 26, top: 46 }) };
}

export function rangeHeight({ rows }: ShownRange, width: number): number {
  const { row, top } = layoutOf(width);
  return top + row * rows.length + 22;
}

export function RangeFigure({ range, width }: FigureProps) {
  const { left, right, column, row, top, font } = layoutOf(width);
  const { rows, what, lost } = range;
  const small = width < 300;
  const height = rangeHeight(range, width);
  const base = top + row * rows.length;
  const x = (power: number): number => left + ((right - left) * (power - LOW)) / (HIGH - LOW);
  const [from, to] = [x(FLOAT16.smallest), x(FLOAT16.end)];
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`How large the gradients of each layer are. ${rows.map(rowWords).join('. ')}.`}
      fontSize={font}
      fontFamily="system-ui, sans-serif"
    >
      <text x={0} y={font + 1} fill="var(--ink)">
        {small ? what : `${what}: ${lost}`}
      </text>
      {small && (
        <text x={0} y={2.3 * font + 1} fill="var(--soft)">
          {lost}
        </text>
      )}
      <rect x={from} y={top - 4} width={to - from} height={base - top + 8} fill="var(--track)" />
      <path d={`M${from} ${top - 4}V${base + 4}M${to} ${top - 4}V${base + 4}`} stroke="var(--soft)" fill="none" />
      <path d={`M${x(FLOAT16.full)} ${top - 4}V${base + 4}`} stroke="var(--soft)" strokeDasharray="2 3" fill="none" />
      <text x={(from + to) / 2} y={top - 9} fill="var(--soft)" textAnchor="middle">
        {small ? 'float16' : 'range of float16'}
      </text>
      <text x={left - 8} y={top - 9} fill="var(--soft)" textAnchor="end">
        0
      </text>
      <text x={right + 8} y={top - 9} fill="var(--soft)">
        inf
      </text>
      {rows.map((own, index) => (
        <g key={own.words} transform={`translate(0 ${top + row * index})`}>
          <text x={0} y={row - 6} fill="var(--ink)">
            {shortened(own.words, (left - column - 4) / (0.55 * font))}
          </text>
          <Lost count={own.zeros} of={own.count} x={left - 6 - column} width={column} row={row} />
          <Lost count={own.notFinite} of={own.count} x={right + 6} width={column} row={row} />
          <path d={`M${left} ${row - 2}H${right}`} stroke="var(--line)" fill="none" />
          <path d={ridgeOf(own.powers, row, x)} fill="var(--payload-gradient)" />
        </g>
      ))}
      {(small ? [FLOAT16.smallest, FLOAT16.end] : TICKS.filter((_, index) => width >= 560 || index % 2 === 1)).map(
        (power) => (
          <text key={power} x={x(power)} y={height - 4} fill="var(--soft)" textAnchor="middle">
            {powerWords(power)}
          </text>
        ),
      )}
    </svg>
  );
}

interface LostProps {
  readonly count: number;
  readonly of: number;
  readonly x: number;
  readonly width: number;
  readonly row: number;
}

/** The number of a row's gradients that are 0, or inf, on a bar. */
function Lost({ count, of, x, width, row }: LostProps) {
  if (count === 0) return null;
  return (
    <>
      <rect x={x} y={2} width={width} height={row - 4} fill="none" stroke="var(--line)" />
      <rect x={x} y={2} width={(width * count) / of} height={row - 4} fill="var(--bad)" fillOpacity={0.25} />
      <text x={x + width - 4} y={row - 6} fill="var(--bad)" textAnchor="end">
        {formatCount(count)}
      </text>
    </>
  );
}

/**
 * The outline with one step per power of two, as high as the square root of the share, so that single values are
 * visible.
 */
function ridgeOf(powers: Float32Array, row: number, x: (power: number) => number): string {
  const counts = new Array<number>(HIGH - LOW).fill(0);
  for (const power of powers) {
    const bin = Math.max(0, Math.min(counts.length - 1, Math.floor(power - LOW)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(1, ...counts);
  const base = row - 2;
  return counts
    .flatMap((count, bin) => {
      if (count === 0) return [];
      const y = base - Math.sqrt(count / most) * (row - 5);
      return [`M${x(LOW + bin).toFixed(1)} ${base}V${y.toFixed(1)}H${x(LOW + bin + 1).toFixed(1)}V${base}Z`];
    })
    .join('');
}

const DIGITS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
/** '2⁻²⁴' */
export const powerWords = (power: number): string =>
  power === 0 ? '1' : `2${[...String(power)].map((digit) => (digit === '-' ? '⁻' : DIGITS[Number(digit)])).join('')}`;

const shortened = (words: string, letters: number): string =>
  words.length <= letters ? words : `${words.slice(0, Math.max(1, Math.floor(letters) - 1))}…`;

function rowWords({ words, count, zeros, notFinite, powers }: RangeRow): string {
  const most = powers.reduce((high, power) => Math.max(high, power), Number.NEGATIVE_INFINITY);
  const largest = powers.length > 0 ? `up to 2^${Math.ceil(most)}` : 'none left';
  const lost = [...(zeros > 0 ? [`${zeros} are 0`] : []), ...(notFinite > 0 ? [`${notFinite} are inf or NaN`] : [])];
  return [`${words}: ${count} gradients, ${largest}`, ...lost].join(', ');
}
