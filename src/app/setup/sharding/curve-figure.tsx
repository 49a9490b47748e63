/**
 * The curve of memory-curve.tsx as a lesson's figure, with legend, numbers, and the step's passes below it. Styled with
 * attributes only, so that it can be saved as a file.
 */
import type { MemoryCategory, StepTrace } from '../../../protocol/trace';
import { formatSize } from '../../draw/format';
import { CATEGORY_WORDS } from '../../memory/memory-tree';
import type { ShownCurve } from './curve';
import { CurvePicture, curveWords } from './curve-picture';

interface FigureProps {
  readonly curve: ShownCurve;
  readonly trace: StepTrace;
  readonly event: number | undefined;
  readonly width: number;
}

/** The same legend at every stage, so that nothing moves when the stage changes. */
const LEGEND: readonly MemoryCategory[] = [
  'parameter',
  'unsharded',
  'gradient',
  'optimizer',
  'bucket',
  'communication',
  'activation',
  'data',
];
const PLOT_HEIGHT = 190;
const ROW = 20;
const STRIP = { top: 3, height: 16 } as const;
const FONT_SIZE = 12.5;
/** An estimate, because no browser can measure text during the build. */
const LETTER = 0.55 * FONT_SIZE;
/** The widths between a sign and its words, and between two entries. */
const [SIGN, GAP] = [17, 14];

export function CurveFigure({ curve, trace, event, width }: FigureProps) {
  const entries = placed(curve, width);
  const top = ROW * (1 + Math.max(...entries.map(({ row }) => row))) + 6;
  const base = top + PLOT_HEIGHT;
  const height = figureHeight(curve, width);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={curveWords(curve)}
      fontSize={FONT_SIZE}
      fontFamily="system-ui, sans-serif"
    >
      {entries.map(({ words, sign, x, row }) => (
        <g key={words} transform={`translate(${x} ${ROW * row})`}>
          <Sign sign={sign} />
          <text x={SIGN} y={14.5} fill="var(--soft)">
            {words}
          </text>
        </g>
      ))}
      <g transform={`translate(0 ${top})`}>
        <CurvePicture curve={curve} width={width} height={PLOT_HEIGHT} event={event} />
      </g>
      <path d={`M0 ${base}H${width}`} stroke="var(--line)" />
      {passesOf(curve, trace).map(({ words, fill, from, to }) => {
        const [x, end] = [from, to].map((index) => (width * index) / curve.points.length) as [number, number];
        return (
          <g key={words}>
            <rect x={x} y={base + STRIP.top} width={Math.max(0.5, end - x - 1)} height={STRIP.height} fill={fill} />
            {end - x > LETTER * words.length + 6 && (
              <text x={x + 4} y={base + STRIP.top + 12.5} fill="var(--ink)">
                {words}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

export function figureHeight(curve: ShownCurve, width: number): number {
  const rows = 1 + Math.max(...placed(curve, width).map(({ row }) => row));
  return ROW * rows + 6 + PLOT_HEIGHT + STRIP.top + STRIP.height + 2;
}

type LegendSign = MemoryCategory | 'peak' | 'ghost' | 'formula';

/** Places the legend's entries in rows: the numbers first, then the kinds of memory. */
function placed(curve: ShownCurve, width: number) {
  const entries: readonly (readonly [LegendSign, string])[] = [
    ['peak', `rank 0: at most ${formatSize(curve.peak)}`],
    ['ghost', `with DDP: ${formatSize(curve.ghostPeak)}`],
    ['formula', `formula: ${formatSize(curve.formula)}`],
    ...LEGEND.map((category) => [category, CATEGORY_WORDS[category]] as const),
  ];
  let [x, row] = [0, 0];
  return entries.map(([sign, words], index) => {
    const wide = SIGN + LETTER * words.length;
    if (x > 0 && (x + wide > width || index === entries.length - LEGEND.length)) [x, row] = [0, row + 1];
    const place = { sign, words, x: Math.round(x), row };
    x += wide + GAP;
    return place;
  });
}

function Sign({ sign }: { readonly sign: LegendSign }) {
  if (sign === 'peak') return <path d="M0 15V8L4 5L8 9L12 6V15Z" fill="var(--soft)" />;
  if (sign === 'ghost') return <path d="M0 10H12" stroke="var(--soft)" strokeWidth={1.5} strokeDasharray="3 2" />;
  if (sign === 'formula') return <path d="M0 10H12" stroke="var(--accent)" strokeWidth={1.5} />;
  return <rect y={4} width={12} height={12} rx={2} fill={`var(--memory-${sign})`} stroke="var(--line)" />;
}

/** The curve's points that belong to the forward pass, to backward, and to the optimiser. */
function passesOf({ points }: ShownCurve, { events }: StepTrace) {
  const first = (phase: string, from: number): number => {
    const found = points.findIndex((point, index) => index >= from && events[point.event]?.phase === phase);
    return found < 0 ? points.length : found;
  };
  const backward = first('backward', 0);
  const step = first('step', backward);
  return [
    { words: 'forward', fill: 'var(--phase-forward)', from: 0, to: backward },
    { words: 'backward', fill: 'var(--phase-backward)', from: backward, to: step },
    { words: 'optimizer.step()', fill: 'var(--phase-step)', from: step, to: points.length },
  ];
}
