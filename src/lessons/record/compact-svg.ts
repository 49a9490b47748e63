/**
 * Makes the SVG of a stage smaller: one path per colour paints consecutive cells of a matrix, and colours too close for
 * the eye become one. Pure; works line by line, because svg-document.ts writes one element per line.
 */
const CELL = /^<path d="M([\d.-]+) ([\d.-]+)L([\d.-]+) \2L\3 ([\d.-]+)L\1 \4Z" fill="rgb\((\d+), (\d+), (\d+)\)"\/>$/;
/** Step between shades, out of 255. */
const SHADE = 5;

const hex = (value: string): string =>
  Math.min(255, SHADE * Math.round(Number(value) / SHADE))
    .toString(16)
    .padStart(2, '0');
const short = (value: number): string => String(Math.round(100 * value) / 100);

export function compactSvg(svg: string): string {
  const written: string[] = [];
  /** Cells without another element between them do not overlap, so their order does not matter. */
  let cells = new Map<string, string[]>();
  const close = () => {
    for (const [fill, paths] of cells) written.push(`<path fill="#${fill}" d="${paths.join('')}"/>`);
    cells = new Map();
  };
  for (const line of svg.split('\n')) {
    const [, x, y, right, bottom, red = '', green = '', blue = ''] = CELL.exec(line) ?? [];
    if (x === undefined || y === undefined) {
      close();
      written.push(line);
      continue;
    }
    const fill = `${hex(red)}${hex(green)}${hex(blue)}`;
    const [width, height] = [Number(right) - Number(x), Number(bottom) - Number(y)];
    const path = `M${short(Number(x))} ${short(Number(y))}h${short(width)}v${short(height)}h${short(-width)}z`;
    cells.set(fill, [...(cells.get(fill) ?? []), path]);
  }
  close();
  return written.join('\n');
}
