/** The plot of bandwidth over size: both axes logarithmic, names at the ends of lines. Loaded with its panel. */
import type uPlot from 'uplot';
import { formatSize, formatTick } from '../../draw/format';
import { columnsOf, drawNames, isPower, logOptions, plotIn } from '../../draw/log-plot';
import type { Palette } from '../../draw/theme';

export interface BandwidthLine {
  readonly name: string;
  /** Draws points without a line. */
  readonly dots: boolean;
  readonly points: readonly { readonly bytes: number; readonly value: number }[];
}

const HEIGHT = 250;
/** The width for the names at the ends of the lines. */
const NAMES = 120;
const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [12, 3]];

export function createBandwidthPlot(
  element: HTMLElement,
  palette: Palette,
  lines: readonly BandwidthLine[],
): { destroy(): void } {
  const data = columnsOf(lines.map(({ points }) => points.map(({ bytes, value }) => ({ x: bytes, y: value }))));
  return plotIn(element, HEIGHT, (width) => options(palette, lines, width), data);
}

const options = (palette: Palette, lines: readonly BandwidthLine[], width: number): uPlot.Options => ({
  ...logOptions(palette, width, {
    height: HEIGHT,
    fontSize: 11,
    names: NAMES,
    left: 46,
    xWords: (tick) => (isPower(tick, 32) ? formatSize(tick) : null),
    yWords: (tick) => (isPower(tick, 10) ? formatTick(tick) : null),
  }),
  series: [
    {},
    ...lines.map(({ name, dots }, i) => ({
      label: name,
      stroke: dots ? palette.accent : palette.ink,
      width: dots ? 0 : 1.5,
      dash: [...(DASHES[i % DASHES.length] ?? [])],
      points: { show: dots, size: 8, fill: palette.accent },
      spanGaps: true,
    })),
  ],
  hooks: { draw: [(plot) => nameLines(plot, palette, lines)] },
});

function nameLines(plot: uPlot, palette: Palette, lines: readonly BandwidthLine[]): void {
  const { ctx } = plot;
  const ends = lines.flatMap(({ name, dots, points }) => {
    const last = points.at(-1);
    if (!last) return [];
    const colour = dots ? palette.accent : palette.ink;
    return [{ name, colour, x: plot.valToPos(last.bytes, 'x', true), y: plot.valToPos(last.value, 'y', true) }];
  });
  ctx.save();
  ctx.font = `${11 * devicePixelRatio}px ${palette.sans}`;
  ctx.textBaseline = 'middle';
  drawNames(plot, ends, { gap: 8, apart: 13 });
  ctx.restore();
}
