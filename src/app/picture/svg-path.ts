/**
 * Builds an SVG path from the path calls of a canvas, with each point already transformed. Calls with numbers that are
 * not finite draw nothing, as on a canvas. Used by svg-recorder.ts.
 */
export type SvgMatrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

export const IDENTITY: SvgMatrix = [1, 0, 0, 1, 0, 0];

export const times = ([a, b, c, d, e, f]: SvgMatrix, [a2, b2, c2, d2, e2, f2]: SvgMatrix): SvgMatrix => [
  a * a2 + c * b2,
  b * a2 + d * b2,
  a * c2 + c * d2,
  b * c2 + d * d2,
  a * e2 + c * f2 + e,
  b * e2 + d * f2 + f,
];

/** The factor by which the matrix scales lengths. */
export const scaleOf = ([a, b, c, d]: SvgMatrix): number => Math.sqrt(Math.abs(a * d - b * c));

/** A number as text, rounded to hundredths of a pixel. */
export const num = (value: number): string => String(Math.round(value * 100) / 100 + 0);

const TURN = 2 * Math.PI;

export class SvgPath {
  private parts: string[] = [];
  /** The pen's position, before the transform. */
  private at: readonly [number, number] | undefined;
  private start: readonly [number, number] | undefined;

  /** `matrix`: the transform at the time of each call. */
  constructor(private readonly matrix: () => SvgMatrix) {}

  get d(): string {
    return this.parts.join('');
  }

  clear(): void {
    this.parts = [];
    this.at = undefined;
    this.start = undefined;
  }

  private add(command: string, ...points: readonly (readonly [number, number])[]): void {
    const [a, b, c, d, e, f] = this.matrix();
    this.parts.push(command + points.map(([x, y]) => `${num(a * x + c * y + e)} ${num(b * x + d * y + f)}`).join(' '));
    this.at = points.at(-1) ?? this.at;
  }

  moveTo(x: number, y: number): void {
    if (![x, y].every(Number.isFinite)) return;
    this.add('M', [x, y]);
    this.start = [x, y];
  }

  lineTo(x: number, y: number): void {
    if (![x, y].every(Number.isFinite)) return;
    if (this.at) this.add('L', [x, y]);
    else this.moveTo(x, y);
  }

  quadraticCurveTo(cx: number, cy: number, x: number, y: number): void {
    if ([cx, cy, x, y].every(Number.isFinite)) this.add('Q', [cx, cy], [x, y]);
  }

  bezierCurveTo(...[ax, ay, bx, by, x, y]: [number, number, number, number, number, number]): void {
    if ([ax, ay, bx, by, x, y].every(Number.isFinite)) this.add('C', [ax, ay], [bx, by], [x, y]);
  }

  closePath(): void {
    if (!this.start) return;
    this.parts.push('Z');
    this.at = this.start;
  }

  rect(x: number, y: number, width: number, height: number): void {
    if (![x, y, width, height].every(Number.isFinite)) return;
    this.moveTo(x, y);
    for (const [px, py] of [
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ] as const)
      this.lineTo(px, py);
    this.closePath();
  }

  roundRect(x: number, y: number, width: number, height: number, radius: unknown = 0): void {
    const wanted = typeof radius === 'number' ? radius : 0;
    const r = Math.min(wanted, Math.abs(width) / 2, Math.abs(height) / 2);
    if (!(r > 0)) {
      this.rect(x, y, width, height);
      return;
    }
    const [right, bottom] = [x + width, y + height];
    this.moveTo(x + r, y);
    this.arcTo(right, y, right, bottom, r);
    this.arcTo(right, bottom, x, bottom, r);
    this.arcTo(x, bottom, x, y, r);
    this.arcTo(x, y, right, y, r);
    this.closePath();
  }

  arc(...[x, y, radius, from, to, counter = false]: [number, number, number, number, number, boolean?]): void {
    if (![x, y, radius, from, to].every(Number.isFinite)) return;
    const point = (angle: number) => [x + radius * Math.cos(angle), y + radius * Math.sin(angle)] as const;
    this.lineTo(...point(from));
    const whole = Math.abs(to - from) >= TURN - 1e-9;
    const swept = whole ? TURN : (((counter ? from - to : to - from) % TURN) + TURN) % TURN;
    const sign = counter ? -1 : 1;
    // In two halves, because an SVG arc that ends where it starts is empty.
    for (const part of [0.5, 1]) this.arcBy(radius, sign > 0, point(from + sign * swept * part));
  }

  arcTo(...[x1, y1, x2, y2, radius]: [number, number, number, number, number]): void {
    if (![x1, y1, x2, y2, radius].every(Number.isFinite)) return;
    if (!this.at) {
      this.moveTo(x1, y1);
      return;
    }
    const [ux, uy] = unit(this.at[0] - x1, this.at[1] - y1);
    const [vx, vy] = unit(x2 - x1, y2 - y1);
    const cross = ux * vy - uy * vx;
    if (radius === 0 || Math.abs(cross) < 1e-9) {
      this.lineTo(x1, y1);
      return;
    }
    const away = radius / Math.tan(Math.acos(Math.max(-1, Math.min(1, ux * vx + uy * vy))) / 2);
    this.lineTo(x1 + ux * away, y1 + uy * away);
    this.arcBy(radius, cross < 0, [x1 + vx * away, y1 + vy * away]);
  }

  private arcBy(radius: number, clockwise: boolean, end: readonly [number, number]): void {
    const matrix = this.matrix();
    const r = num(radius * scaleOf(matrix));
    const mirrored = matrix[0] * matrix[3] - matrix[1] * matrix[2] < 0;
    this.add(`A${r} ${r} 0 0 ${clockwise === mirrored ? 0 : 1} `, end);
  }
}

function unit(x: number, y: number): readonly [number, number] {
  const length = Math.hypot(x, y);
  return length === 0 ? [0, 0] : [x / length, y / length];
}
