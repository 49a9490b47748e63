/**
 * What the painters draw, as SVG: it takes the calls of a CanvasRenderingContext2D that they use and keeps them as
 * elements. Fonts by generic names, colours as they are, patterns by their id. It is no canvas: nothing can be read
 * back, and a call that no painter makes is not here.
 */
import type { Measure } from '../draw/text';
import { IDENTITY, type Matrix, num, SvgPath, scaleOf, times } from './svg-path';
import { escaped, fontOf, type SvgFont } from './svg-text';

type Used =
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineCap'
  | 'lineJoin'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
  | 'imageSmoothingEnabled'
  | 'save'
  | 'restore'
  | 'translate'
  | 'scale'
  | 'rotate'
  | 'setLineDash'
  | 'beginPath'
  | 'closePath'
  | 'moveTo'
  | 'lineTo'
  | 'quadraticCurveTo'
  | 'bezierCurveTo'
  | 'rect'
  | 'roundRect'
  | 'arc'
  | 'arcTo'
  | 'fill'
  | 'stroke'
  | 'clip'
  | 'fillRect'
  | 'strokeRect'
  | 'clearRect'
  | 'fillText'
  | 'measureText';

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
  readonly matrix: Matrix;
  /** The id of what it is cut to. */
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

const ANCHORS: Readonly<Record<CanvasTextAlign, string>> = {
  start: 'start',
  left: 'start',
  center: 'middle',
  right: 'end',
  end: 'end',
};
const BASELINES: ReadonlyMap<CanvasTextBaseline, string> = new Map([
  ['middle', 'central'],
  ['top', 'text-before-edge'],
  ['hanging', 'hanging'],
  ['bottom', 'text-after-edge'],
]);

const attributes = (given: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(given)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escaped(value)}"`))
    .join('');

export class SvgRecorder implements Partial<Pick<CanvasRenderingContext2D, Used>> {
  private state = START;
  private readonly kept: State[] = [];
  private readonly path = new SvgPath(() => this.state.matrix);
  private readonly elements: string[] = [];
  private readonly defs: string[] = [];
  /** The clip of the group that is open. */
  private open: string | undefined;
  private ids = 0;
  imageSmoothingEnabled = true;

  constructor(private readonly measure: Measure) {}

  /** What painters hold in their hands. */
  get context(): CanvasRenderingContext2D {
    return this as unknown as CanvasRenderingContext2D;
  }

  /** Adds a definition and returns its id. */
  define(make: (id: string) => string): string {
    this.ids += 1;
    const id = `d${this.ids}`;
    this.defs.push(make(id));
    return id;
  }

  /** What is drawn meanwhile leads there. */
  link(href: string, draw: () => void): void {
    this.regroup(undefined);
    this.elements.push(`<a href="${escaped(href)}">`);
    draw();
    this.regroup(undefined);
    this.elements.push('</a>');
  }

  /** The elements, in a picture of that size. `title` is its name for who does not see it. */
  toSvg({ width, height, title }: { readonly width: number; readonly height: number; readonly title: string }): string {
    this.regroup(undefined);
    const size = `width="${num(width)}" height="${num(height)}" viewBox="0 0 ${num(width)} ${num(height)}"`;
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
      `<title>${escaped(title)}</title>`,
      this.defs.length > 0 ? `<defs>${this.defs.join('')}</defs>` : '',
      ...this.elements,
      '</svg>',
    ].join('\n');
  }

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

  beginPath(): void {
    this.path.clear();
  }
  closePath(): void {
    this.path.closePath();
  }
  moveTo(x: number, y: number): void {
    this.path.moveTo(x, y);
  }
  lineTo(x: number, y: number): void {
    this.path.lineTo(x, y);
  }
  quadraticCurveTo(...given: Parameters<SvgPath['quadraticCurveTo']>): void {
    this.path.quadraticCurveTo(...given);
  }
  bezierCurveTo(...given: Parameters<SvgPath['bezierCurveTo']>): void {
    this.path.bezierCurveTo(...given);
  }
  rect(...given: Parameters<SvgPath['rect']>): void {
    this.path.rect(...given);
  }
  roundRect(...given: Parameters<SvgPath['roundRect']>): void {
    this.path.roundRect(...given);
  }
  arc(...given: Parameters<SvgPath['arc']>): void {
    this.path.arc(...given);
  }
  arcTo(...given: Parameters<SvgPath['arcTo']>): void {
    this.path.arcTo(...given);
  }

  fill(): void {
    if (this.path.d !== '') this.draw('path', { d: this.path.d, ...this.filled() });
  }
  stroke(): void {
    if (this.path.d !== '') this.draw('path', { d: this.path.d, fill: 'none', ...this.stroked() });
  }
  clip(): void {
    const within = this.state.clip === undefined ? '' : ` clip-path="url(#${this.state.clip})"`;
    const { d } = this.path;
    this.set({ clip: this.define((id) => `<clipPath id="${id}"${within}><path d="${d}"/></clipPath>`) });
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.apart((path) => {
      path.rect(x, y, width, height);
      if (path.d !== '' && width !== 0 && height !== 0) this.draw('path', { d: path.d, ...this.filled() });
    });
  }
  strokeRect(x: number, y: number, width: number, height: number): void {
    this.apart((path) => {
      path.rect(x, y, width, height);
      if (path.d !== '') this.draw('path', { d: path.d, fill: 'none', ...this.stroked() });
    });
  }
  /** There is nothing below what is drawn. */
  clearRect(): void {}

  fillText(text: string, x: number, y: number): void {
    if (text === '' || ![x, y].every(Number.isFinite)) return;
    const { font, textAlign, textBaseline, matrix } = this.state;
    const [a, b, c, d, e, f] = matrix;
    const moved = a === 1 && b === 0 && c === 0 && d === 1;
    const { size, weight, family, style }: SvgFont = fontOf(font);
    const anchor = ANCHORS[textAlign];
    this.draw(
      'text',
      {
        x: num(moved ? x + e : x),
        y: num(moved ? y + f : y),
        'font-family': family,
        'font-size': num(size),
        'font-weight': weight === 400 ? undefined : String(weight),
        'font-style': style,
        'text-anchor': anchor === 'start' ? undefined : anchor,
        'dominant-baseline': BASELINES.get(textBaseline),
        transform: moved ? undefined : `matrix(${matrix.map((part) => Number(part.toFixed(4))).join(' ')})`,
        ...this.filled(),
      },
      escaped(text),
    );
  }
  measureText(text: string): TextMetrics {
    const { size, weight, family } = fontOf(this.state.font);
    return { width: this.measure(text, { size, weight, mono: family === 'monospace' }) } as TextMetrics;
  }

  /** A bitmap becomes a picture within the picture. */
  drawImage(image: CanvasImageSource, x: number, y: number, width: number, height: number): void {
    if (!(image instanceof HTMLCanvasElement || image instanceof OffscreenCanvas)) return;
    const copy = document.createElement('canvas');
    copy.width = image.width;
    copy.height = image.height;
    copy.getContext('2d')?.drawImage(image, 0, 0);
    const [a, , , d, e, f] = this.state.matrix;
    this.draw('image', {
      x: num(a * x + e),
      y: num(d * y + f),
      width: num(a * width),
      height: num(d * height),
      href: copy.toDataURL(),
      preserveAspectRatio: 'none',
      style: this.imageSmoothingEnabled ? undefined : 'image-rendering:pixelated',
      opacity: this.opacity(),
    });
  }

  private set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
  }
  private turn(matrix: Matrix): void {
    this.set({ matrix: times(this.state.matrix, matrix) });
  }
  /** A path of its own, which leaves the one that is being drawn as it is. */
  private apart(draw: (path: SvgPath) => void): void {
    draw(new SvgPath(() => this.state.matrix));
  }
  private opacity(): string | undefined {
    const { globalAlpha } = this.state;
    return globalAlpha === 1 ? undefined : num(globalAlpha);
  }
  private filled(): Readonly<Record<string, string | undefined>> {
    return { fill: this.state.fillStyle, opacity: this.opacity() };
  }
  private stroked(): Readonly<Record<string, string | undefined>> {
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
  private draw(name: string, given: Readonly<Record<string, string | undefined>>, content?: string): void {
    if (this.state.globalAlpha === 0) return;
    this.regroup(this.state.clip);
    const tag = `<${name}${attributes(given)}`;
    this.elements.push(content === undefined ? `${tag}/>` : `${tag}>${content}</${name}>`);
  }
  /** What is cut alike is in one group. */
  private regroup(clip: string | undefined): void {
    if (clip === this.open) return;
    if (this.open !== undefined) this.elements.push('</g>');
    if (clip !== undefined) this.elements.push(`<g clip-path="url(#${clip})">`);
    this.open = clip;
  }
}
