/**
 * Horizontal bars made of parts, with a legend and a limit, for the worked examples. A part may have its own start, so
 * that a bar can be a lane over time.
 */
import { type Format, write } from '../facts/write';
import { shape, svg, text, widthOf } from './svg';

/** The meaning of a part, which decides its colour. */
export type BarTone =
  | 'weights'
  | 'gradients'
  | 'states'
  | 'casts'
  | 'activations'
  | 'forward'
  | 'backward'
  | 'communication'
  | 'optimizer'
  | 'idle'
  | 'again'
  | 'plain';

const FILL: Readonly<Record<BarTone, string>> = {
  weights: 'var(--memory-parameter)',
  gradients: 'var(--memory-gradient)',
  states: 'var(--memory-optimizer)',
  casts: 'var(--memory-buffer)',
  activations: 'var(--memory-activation)',
  forward: 'var(--phase-forward)',
  backward: 'var(--phase-backward)',
  communication: 'var(--phase-comm)',
  optimizer: 'var(--phase-step)',
  idle: 'var(--line)',
  again: 'var(--phase-loss)',
  plain: 'var(--memory-parameter)',
};

export interface BarPart {
  readonly words: string;
  readonly tone: BarTone;
  readonly value: number;
  /** Where the part begins; left out: at the end of the previous part. */
  readonly start?: number;
}

export interface DrawnBar {
  readonly label: string;
  readonly parts: readonly BarPart[];
  /** The text at the bar's end; left out: the sum of its parts. */
  readonly note?: string;
}

export interface Bars {
  readonly bars: readonly DrawnBar[];
  readonly format: Format;
  readonly limit?: { readonly value: number; readonly words: string } | undefined;
}

const ROW = 34;
const BAR = 20;
const LEGEND = 22;

const endOf = ({ parts }: DrawnBar): number => {
  let at = 0;
  let end = 0;
  for (const { value, start } of parts) {
    at = (start ?? at) + value;
    end = Math.max(end, at);
  }
  return end;
};

/** Distinct parts in order of appearance, in lines of the legend. */
function legendOf(
  bars: readonly DrawnBar[],
  width: number,
): { readonly marks: readonly string[]; readonly height: number } {
  const seen = new Map<string, BarTone>();
  for (const { words, tone } of bars.flatMap(({ parts }) => parts)) if (words !== '') seen.set(words, tone);
  const marks: string[] = [];
  let [x, y] = [0, 0];
  for (const [words, tone] of seen) {
    const wide = 17 + widthOf(words, 12.5) + 16;
    if (x > 0 && x + wide > width) [x, y] = [0, y + LEGEND];
    marks.push(
      shape('rect', { x, y: y + 4, width: 12, height: 12, rx: 2, fill: FILL[tone], stroke: 'var(--line)' }),
      text(words, { x: x + 17, y: y + 14.5, fill: 'var(--soft)' }),
    );
    x += wide;
  }
  return { marks, height: seen.size > 0 ? y + LEGEND + 8 : 0 };
}

export function drawBars({ bars, format, limit }: Bars, width: number, label: string): string {
  const legend = legendOf(bars, width);
  const narrow = width < 520;
  const notes = bars.map((bar) => bar.note ?? write(endOf(bar), format));
  const left = narrow ? 0 : Math.max(60, ...bars.map((bar) => widthOf(bar.label) + 14));
  const right = Math.max(64, ...notes.map((note) => widthOf(note) + 12));
  const most = Math.max(Number.MIN_VALUE, ...bars.map(endOf));
  // The scale includes the limit unless it is far beyond all bars.
  const scale = (width - left - right) / (limit && limit.value < 12 * most ? Math.max(most, limit.value) : most);
  const row = narrow ? ROW + 14 : ROW;
  const top = legend.height + (limit ? 16 : 0);
  const height = top + row * bars.length + 4;
  const drawn = bars.map((bar, index) => {
    const y = top + row * index + (narrow ? 16 : 4);
    let at = 0;
    const parts = bar.parts.map(({ tone, value, start }, place) => {
      at = start ?? at;
      const x = left + scale * at;
      at += value;
      return shape('rect', {
        ...{ key: `bar ${index} ${place}`, x, y, width: Math.max(0, scale * value), height: BAR, fill: FILL[tone] },
        ...{ stroke: 'var(--card)', 'stroke-width': value * scale > 3 ? 1 : 0 },
      });
    });
    const labels = [
      text(bar.label, narrow ? { x: 0, y: y - 4 } : { x: left - 10, y: y + 14.5, 'text-anchor': 'end' }),
      text(notes[index] ?? '', {
        key: `note ${index}`,
        x: left + scale * endOf(bar) + 7,
        y: y + 14.5,
        'font-weight': 600,
      }),
    ];
    return [...parts, ...labels].join('');
  });
  const marked =
    limit && limit.value * scale <= width - left - 8
      ? [limitLine(limit, left + scale * limit.value, { top, height, width })]
      : [];
  return svg({ width, height, label }, ...legend.marks, ...drawn, ...marked);
}

function limitLine(
  { words }: NonNullable<Bars['limit']>,
  x: number,
  { top, height, width }: { readonly top: number; readonly height: number; readonly width: number },
): string {
  const anchored = x + widthOf(words) / 2 > width ? 'end' : 'middle';
  return [
    shape('line', {
      key: 'limit',
      x1: x,
      x2: x,
      y1: top - 4,
      y2: height - 4,
      stroke: 'var(--bad)',
      'stroke-width': 1.5,
      'stroke-dasharray': '4 3',
    }),
    text(words, { x: anchored === 'end' ? width : x, y: top - 7, 'text-anchor': anchored, fill: 'var(--bad)' }),
  ].join('');
}
