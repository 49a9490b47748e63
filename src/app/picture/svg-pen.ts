/**
 * The pen of an SvgRecorder: styles, transform and clip, which painters set, save and restore as on a canvas; converts
 * them to attributes of an SVG element. It draws nothing.
 */
import type { Attributes } from './svg-document';
import { IDENTITY, num, type SvgMatrix, scaleOf, times } from './svg-path';

interface State {
  readonly fillStyle: string;
  readonly strokeStyle: string;
  readonly lineWidth: number;
  readonly lineCap: CanvasLineCap;
  readonly lineJoin: CanvasLineJoin;
  readonly globalAlpha: number;
  readonly font: string;
  readonly textAlign: CanvasTextAlign;
  readonly textBaseline: CanvasTextBaseline;
  readonly dash: readonly number[];
  readonly matrix: SvgMatrix;
  /** The id of the clip. */
  readonly clip: string | undefined;
}

const START: State = {
  fillStyle: '#000000',
  strokeStyle: '#000000',
  lineWidth: 1,
  lineCap: 'butt',
  lineJoin: 'miter',
  globalAlpha: 1,
  font: '10px sans-serif',
  textAlign: 'start',
  textBaseline: 'alphabetic',
  dash: [],
  matrix: IDENTITY,
  clip: undefined,
};

export class SvgPen {
  protected state = START;
  private readonly kept: State[] = [];

  get fillStyle(): string {
    return this.state.fillStyle;
  }
  set fillStyle(style: string | CanvasGradient | CanvasPattern) {
    if (typeof style === 'string') this.set({ fillStyle: style });
  }
  get strokeStyle(): string {
    return this.state.strokeStyle;
  }
  set strokeStyle(style: string | CanvasGradient | CanvasPattern) {
    if (typeof style === 'string') this.set({ strokeStyle: style });
  }
  get lineWidth(): number {
    return this.state.lineWidth;
  }
  set lineWidth(lineWidth: number) {
    if (lineWidth > 0 && Number.isFinite(lineWidth)) this.set({ lineWidth });
  }
  get globalAlpha(): number {
    return this.state.globalAlpha;
  }
  set globalAlpha(globalAlpha: number) {
    if (globalAlpha >= 0 && globalAlpha <= 1) this.set({ globalAlpha });
  }
  get font(): string {
    return this.state.font;
  }
  set font(font: string) {
    this.set({ font });
  }
  set lineCap(lineCap: CanvasLineCap) {
    this.set({ lineCap });
  }
  set lineJoin(lineJoin: CanvasLineJoin) {
    this.set({ lineJoin });
  }
  set textAlign(textAlign: CanvasTextAlign) {
    this.set({ textAlign });
  }
  set textBaseline(textBaseline: CanvasTextBaseline) {
    this.set({ textBaseline });
  }

  save(): void {
    this.kept.push(this.state);
  }
  restore(): void {
    this.state = this.kept.pop() ?? this.state;
  }
  translate(x: number, y: number): void {
    this.turn([1, 0, 0, 1, x, y]);
  }
  scale(x: number, y: number): void {
    this.turn([x, 0, 0, y, 0, 0]);
  }
  rotate(angle: number): void {
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    this.turn([cos, sin, -sin, cos, 0, 0]);
  }
  setLineDash(dash: readonly number[]): void {
    this.set({ dash: [...dash] });
  }

  protected set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
  }
  private turn(matrix: SvgMatrix): void {
    this.set({ matrix: times(this.state.matrix, matrix) });
  }
  protected opacity(): string | undefined {
    const { globalAlpha } = this.state;
    return globalAlpha === 1 ? undefined : num(globalAlpha);
  }
  protected filled(): Attributes {
    return { fill: this.state.fillStyle, opacity: this.opacity() };
  }
  protected stroked(): Attributes {
    const { strokeStyle, lineWidth, lineCap, lineJoin, dash, matrix } = this.state;
    const scale = scaleOf(matrix);
    return {
      stroke: strokeStyle,
      'stroke-width': num(lineWidth * scale),
      'stroke-linecap': lineCap === 'butt' ? undefined : lineCap,
      'stroke-linejoin': lineJoin === 'miter' ? undefined : lineJoin,
      'stroke-dasharray': dash.length === 0 ? undefined : dash.map((part) => num(part * scale)).join(' '),
      opacity: this.opacity(),
    };
  }
}
